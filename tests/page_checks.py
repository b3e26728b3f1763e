"""Checks of a page of HTML: without a browser, and in headless Chromium where there is one."""

import json
import re
import shutil
import subprocess
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_VOID = {"meta", "link", "br", "img", "hr", "input"}

# Run in the page when all is loaded: what a reader would see going wrong.
_MEASURE = """<script>
addEventListener("load", () => {
  const boxes = [...document.querySelectorAll(".formula")].map(f => [f, [...f.querySelectorAll("svg")]]);
  const shows = s => s.getBBox().width > 1 && s.getBBox().height > 1
    && s.getBoundingClientRect().right <= innerWidth + 1;
  const drawn = ([f, all]) => all.length > 0 && all.every(shows);
  parent.postMessage(JSON.stringify({
    inner: innerWidth, scroll: document.documentElement.scrollWidth, formulas: boxes.length,
    undrawn: boxes.filter(b => !drawn(b)).map(b => b[0].getAttribute("aria-label")),
    smallest: Math.min(...boxes.flatMap(b => b[1]).map(s => s.getBoundingClientRect().width / s.width.baseVal.value)),
    pictures: [...document.images].length,
    broken: [...document.images].filter(i => !(i.complete && i.naturalWidth > 1)).length,
    tall: [...document.querySelectorAll("td, th")].filter(e => e.getBoundingClientRect().height > 150).length,
    outside: [...document.querySelectorAll("body *")].filter(e => !e.closest(".scroll") && !e.closest("svg")
      && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName),
  }), "*");
});
</script>"""

# A window is never narrower than 500 pixels, a frame in it may be.
_FRAME = """<!DOCTYPE html><iframe src="{page}" width="{width}" height="900" style="border: 0"></iframe><script>
addEventListener("message", event => {{ document.documentElement.dataset.measured = event.data; }});
</script>"""


class Reader(HTMLParser):
    """Tags that do not match, and what the page would load from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.outside, self.formulas, self.undrawn = [], [], [], 0, 0
        self._waits = False

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if self._waits and tag != "svg":
            self.undrawn += 1
        self._waits = given.get("class") == "formula"
        self.formulas += self._waits
        for name in ("src", "href", "xlink:href", "data", "srcset", "action", "poster"):
            value = given.get(name, "#")
            if not value.startswith(("#", "data:")):
                self.outside.append(value)
        if "style" in given and "url(" in given["style"]:
            self.outside.append(given["style"])
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] == "style" and re.search(r"url\(|@import", data):
            self.outside.append("a style")


def faults(page: str) -> list[str]:
    """What is wrong with the page without looking at it."""
    reader = Reader()
    reader.feed(page)
    found = [f"</{tag}> closes nothing" for tag in reader.wrong] + [f"<{tag}> stays open" for tag in reader.open]
    found += [f"loads {place}" for place in reader.outside]
    if reader.undrawn or not reader.formulas:
        found.append(f"{reader.undrawn} of {reader.formulas} formulas are no picture")
    return found


def seen(page: str, width: int, folder: Path) -> tuple[dict, list[str]]:
    """What Chromium measures on the page at that width, and what it writes to the console."""
    (folder / "page.html").write_text(page.replace("</body>", _MEASURE + "</body>"), encoding="utf-8")
    path = folder / f"frame-{width}.html"
    path.write_text(_FRAME.format(page="page.html", width=width), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--dump-dom"]
    options += [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--enable-logging=stderr",
    ]
    options += ["--virtual-time-budget=5000"]
    options += [f"--window-size={width + 600},1000", f"--user-data-dir={folder / f'profile-{width}'}", f"file://{path}"]
    shown = subprocess.run([CHROMIUM, *options], capture_output=True, text=True, timeout=120)
    measured = re.search(r'data-measured="([^"]*)"', shown.stdout)
    assert measured, shown.stderr[-2000:]
    console = [line for line in shown.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(unescape(measured[1])), console


def faults_in_chromium(page: str, width: int, folder: Path) -> list[str]:
    """What is wrong with the page at that width: nothing where there is no Chromium to ask."""
    if CHROMIUM is None:
        return []
    found, console = seen(page, width, folder)
    faulty = list(console)
    if found["inner"] != width:
        faulty.append(f"the window is {found['inner']} wide, not {width}")
    if found["scroll"] > found["inner"]:
        faulty.append(f"the page is {found['scroll']} wide in a window of {found['inner']}")
    faulty += [f"{tag} reaches beyond the window" for tag in found["outside"]]
    faulty += [f"not drawn: {latex}" for latex in found["undrawn"]]
    if found["tall"]:
        faulty.append(f"{found['tall']} cells are squeezed")
    if found["broken"]:
        faulty.append(f"{found['broken']} of {found['pictures']} pictures do not show")
    if found["smallest"] < 0.6:  # 12 of 20 px
        faulty.append(f"a formula is shrunk to {found['smallest']:.2f} of its size")
    return faulty

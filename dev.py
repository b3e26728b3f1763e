#!/usr/bin/env python3
"""Everything a developer runs, from a bare Python: makes .venv on first use and installs what each command needs.

python3 dev.py run [ARGS]      symbias itself: the command line, or the report on the whole paper without ARGS
python3 dev.py test [ARGS]     the tests (pytest ARGS)
python3 dev.py lint            ruff, mypy and the layers of the design
python3 dev.py bench [ARGS]    the benchmarks
python3 dev.py docs [ARGS]     the documentation, into docs/_build/html
"""

# Standard library only, and no syntax newer than Python 3.6, so that an old Python reaches its one clear line.

import configparser
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "Scripts", "python.exe") if os.name == "nt" else os.path.join(VENV, "bin", "python")
STAMPS = os.path.join(VENV, "stamps")
PIP_LOG = os.path.join(VENV, "pip.log")
OLDEST = (3, 11)

# Per command: the extras it needs, whether it runs in the repository (else where the user is), and its programs.
COMMANDS = {
    "run": (["fast", "plot"], False, [["-m", "symbias"]]),
    "test": (["test", "fast", "plot"], True, [["-m", "pytest"]]),
    "lint": (
        ["dev", "test", "fast", "plot"],
        True,
        [
            ["-m", "ruff", "check"],
            ["-m", "ruff", "format", "--check"],
            ["-m", "mypy", "symbias"],
            ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
        ],
    ),
    "bench": (["fast", "peers"], True, [["-m", "benchmarks"]]),
    "docs": (["docs", "fast"], True, [["-m", "sphinx", "-W", "-b", "html", "docs", "docs/_build/html"]]),
}

# What pip says, in its several versions, when the index cannot be reached.
NO_NETWORK = (
    "NewConnectionError",
    "NameResolutionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "ProxyError",
    "Failed to establish a new connection",
    "Temporary failure in name resolution",
    "Network is unreachable",
    "Failed to connect to",
)


class Stop(Exception):
    """Something outside the project is missing: one line for the user, exit status 2."""


def check_python(version):
    """Refuse a Python older than symbias supports."""
    if tuple(version[:2]) < OLDEST:
        raise Stop(f"symbias needs Python {OLDEST[0]}.{OLDEST[1]} or newer, and this is {version[0]}.{version[1]}")


def wanted():
    """The hash of all that decides what is installed: tool settings in setup.cfg do not count."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(os.path.join(ROOT, "setup.cfg"), encoding="utf-8")
    names = [name for name in parser.sections() if name.split(".")[0] in ("metadata", "options")]
    packaging = {name: dict(parser[name]) for name in names}
    digest = hashlib.sha256(json.dumps(packaging, sort_keys=True).encode())
    for name in ("constraints.txt", "pyproject.toml"):
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def made_here():
    """What .venv depends on: an upgraded Python or a moved checkout needs a new one. Absent if there is no Python."""
    return f"{os.path.realpath(PYTHON)} in {ROOT}" if os.path.exists(PYTHON) else None


def read_stamp(name):
    path = os.path.join(STAMPS, name)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def write_stamp(name, text):
    with open(os.path.join(STAMPS, name), "w", encoding="utf-8") as file:
        file.write(text)


def prepare(extras):
    """Make .venv if there is none that works, and install the extras that are missing or out of date."""
    if read_stamp("venv") is None or read_stamp("venv") != made_here():
        make_venv()
    target = wanted()
    if any(read_stamp(extra) != target for extra in extras):
        install(extras)
        for extra in extras:
            write_stamp(extra, target)


def make_venv():
    """Make .venv from nothing: its folder "stamps" first, the stamp "venv" last, so a half-made one is made anew."""
    if os.path.exists(VENV) and not os.path.isdir(STAMPS):
        raise Stop(f"{VENV} was not made by dev.py: move it away and run this again")
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        raise Stop("this Python cannot make virtual environments; on Debian or Ubuntu: apt install python3-venv")
    say("making .venv")
    if os.path.exists(VENV):
        shutil.rmtree(STAMPS)
    os.makedirs(STAMPS)
    for entry in [entry for entry in os.scandir(VENV) if entry.path != STAMPS]:
        (shutil.rmtree if entry.is_dir(follow_symlinks=False) else os.remove)(entry.path)
    made = subprocess.run([sys.executable, "-m", "venv", VENV], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode:
        shutil.rmtree(VENV)
        reason = last_line(made.stdout.decode(errors="replace"))
        raise Stop(f"python -m venv failed ({reason}); on Debian or Ubuntu: apt install python3-venv")
    write_stamp("venv", made_here())


def install(extras):
    """Install symbias, editable, with the extras; an install that is interrupted leaves no stamp "venv"."""
    names = ",".join(extras)
    say(f"installing symbias[{names}] and what it needs; this happens once, and again when the dependencies change")
    command = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--retries", "2"]
    command += ["--only-binary", ":all:", "-c", os.path.join(ROOT, "constraints.txt"), "--editable", f"{ROOT}[{names}]"]
    os.remove(os.path.join(STAMPS, "venv"))
    with open(PIP_LOG, "wb") as log:
        status = subprocess.call(command, stdout=log, stderr=subprocess.STDOUT, env=dict(os.environ, PIP_USER="0"))
    if status < 0:
        raise Stop(f"pip was killed by signal {-status}; run this again")
    if status:
        with open(PIP_LOG, encoding="utf-8", errors="replace") as log:
            said = log.read()
        if any(words in said for words in NO_NETWORK):
            # pip fetches everything before it installs anything, so what was there still works.
            write_stamp("venv", made_here())
            raise Stop("no network: pip cannot reach the package index; connect and run this again")
        raise Stop(f"pip failed ({last_line(said, 'ERROR')}); all it said is in {PIP_LOG}")
    write_stamp("venv", made_here())


def last_line(text, marker=""):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return ([line for line in lines if marker in line] or lines or ["it said nothing"])[-1]


def say(text):
    sys.stderr.write(f"dev.py: {text}\n")


def call(arguments, cwd):
    """Run Python of .venv and return its exit status; Ctrl-C reaches it too, and it is left to end in its own way."""
    child = subprocess.Popen([PYTHON] + arguments, cwd=cwd)
    try:
        status = child.wait()
    except KeyboardInterrupt:
        child.wait()
        raise
    return status if status >= 0 else 128 - status


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    command, rest = arguments[0], arguments[1:]
    if command not in COMMANDS:
        raise Stop(f"there is no command {command!r}; there are {', '.join(COMMANDS)}")
    extras, at_root, programs = COMMANDS[command]
    if command == "lint" and rest:
        raise Stop("lint takes no arguments")
    check_python(sys.version_info)
    prepare(extras)
    statuses = [call(program + rest, ROOT if at_root else None) for program in programs]
    return next((status for status in statuses if status), 0)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Stop as stop:
        say(str(stop))
        sys.exit(2)
    except KeyboardInterrupt:
        say("interrupted")
        sys.exit(130)

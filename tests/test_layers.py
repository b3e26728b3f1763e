"""The layers of setup.cfg, read from the imports in the source, and what `import symbias` may load.

import-linter judges the same contract, with indirect imports, in `dev.py lint`; this needs no dependency.
"""

import ast
import configparser
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "symbias"

# Half a second each, and seldom needed: imported where they are used.
HEAVY = ["scipy.linalg", "scipy.optimize", "scipy.integrate", "tensorly", "matplotlib", "ziamath", "dask"]


def contract() -> dict[str, tuple[int, int]]:
    """Layer name -> (height, group): a higher one may import a lower one; one of the same group may import another."""
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    lines = parser["importlinter:contract:layers"]["layers"].split("\n")
    places = {}
    for height, line in enumerate(reversed([line for line in lines if line.strip()])):
        for number, name in enumerate(line.replace(":", "|").split("|")):
            places[name.strip().strip("()")] = (height, 0 if ":" in line else number)
    return places


def violations(imports: list[tuple[str, str]], places: dict[str, tuple[int, int]]) -> list[str]:
    """The imports, as pairs of layers, that go upward or sideways."""
    wrong = []
    for importer, imported in imports:
        (height, group), (other_height, other_group) = places[importer], places[imported]
        if other_height > height or (other_height == height and other_group != group):
            wrong.append(f"{importer} imports {imported}")
    return wrong


def modules() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_layers(source: str, layers: set[str]) -> set[str]:
    """The layers a module imports anywhere, functions included; what stands under TYPE_CHECKING does not count."""
    tree = ast.parse(source)
    typing_only = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for statement in node.body
        for inner in ast.walk(statement)
    }
    found = set()
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "relative imports hide the layer: write from symbias.layer import name"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("symbias.")} & layers
    return found


def test_every_module_has_a_layer():
    missing = {layer_of(path) for path in modules()} - set(contract())
    assert not missing, f"{', '.join(sorted(missing))}: add to the layers of setup.cfg"


def test_no_module_imports_upward_or_sideways():
    places = contract()
    imports = [
        (layer_of(path), imported)
        for path in modules()
        for imported in imported_layers(path.read_text(encoding="utf-8"), set(places))
        if imported != layer_of(path)
    ]
    assert len(imports) > 10
    assert violations(imports, places) == []


def test_the_layer_test_sees_a_violation():
    places = contract()
    assert violations([("kernels", "functions"), ("serial", "sources")], places) == [
        "kernels imports functions",
        "serial imports sources",
    ]
    assert violations([("functions", "kernels"), ("problem", "derivation"), ("derivation", "problem")], places) == []


@pytest.mark.parametrize(
    ("source", "layers"),
    [
        ("import symbias.cli", {"cli"}),
        ("from symbias import cli, exact", {"cli", "exact"}),
        ("def f():\n    from symbias.theorems.theorem_5 import predict", {"theorems"}),
        ("if TYPE_CHECKING:\n    from symbias.cli import main\nelse:\n    from symbias.exact import array", {"exact"}),
        ("from symbias import __version__\nimport symbias\nimport scipy", set()),
    ],
)
def test_imports_are_found_wherever_they_stand(source, layers):
    assert imported_layers(source, set(contract())) == layers


def test_import_symbias_loads_nothing_heavy():
    program = f"import sys, symbias; print([name for name in {HEAVY} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "[]"


def test_the_import_test_sees_a_heavy_module():
    program = f"import sys, scipy.optimize; print([name for name in {HEAVY} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "['scipy.linalg', 'scipy.optimize']"

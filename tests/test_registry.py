"""What is registered is tested and derived: the steps of CONTRIBUTING.md, enforced."""

import ast
import re
from pathlib import Path

import pytest

from symbias.networks import NETWORKS
from symbias.sources import ENTRIES
from symbias.theorems import STATEMENTS

ROOT = Path(__file__).parents[1]


def missing_for_network(root: Path, class_name: str, file: str) -> list[str]:
    """What a network of ``symbias/networks/<file>.py`` still needs."""
    test = root / "tests" / f"test_networks_{file}.py"
    derivations = [root / "derivations" / f"assumption_1_{file}.py", root / "derivations" / f"{file}.py"]
    missing = []
    if not (test.exists() and has_test(test) and names(test, class_name)):
        missing.append(f"tests/{test.name}, with tests that use {class_name}")
    if not any(path.exists() and asserts(path) and names(path, class_name) for path in derivations):
        missing.append(f"derivations/{derivations[0].name} or {derivations[1].name}, asserting about {class_name}")
    return missing


def missing_for_statement(root: Path, identity: str) -> list[str]:
    """What the statement of that id still needs."""
    own = root / "tests" / f"test_theorems_{identity}.py"
    derivation = root / "derivations" / f"{identity}.py"
    missing = []
    if not (own.exists() and has_test(own)) and identity not in covered(root):
        missing.append(f'tests/{own.name}, or COVERS = ["{identity}", ...] in a test module')
    if not (derivation.exists() and asserts(derivation)):
        missing.append(f"derivations/{derivation.name}, which asserts what it derives")
    return missing


def covered(root: Path) -> set[str]:
    """The ids in the COVERS lists of the test modules that have tests."""
    return {
        identity
        for path in sorted((root / "tests").glob("test_*.py"))
        if has_test(path)
        for node in tree(path).body
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["COVERS"]
        for identity in ast.literal_eval(node.value)
    }


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def has_test(path: Path) -> bool:
    return any(isinstance(node, ast.FunctionDef) and node.name.startswith("test_") for node in ast.walk(tree(path)))


def asserts(path: Path) -> bool:
    return any(isinstance(node, ast.Assert) for node in ast.walk(tree(path)))


def names(path: Path, name: str) -> bool:
    """Whether the code, not a comment or a docstring, uses the name."""
    return any(
        (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.Attribute) and node.attr == name)
        for node in ast.walk(tree(path))
    )


@pytest.mark.parametrize("name", NETWORKS)
def test_a_registered_network_is_tested_and_derived(name):
    kind = NETWORKS[name]
    assert kind.name == name
    assert kind.__module__.startswith("symbias.networks.")
    missing = missing_for_network(ROOT, kind.__name__, kind.__module__.split(".")[-1])
    assert not missing, f"{name} needs " + "; ".join(missing)


def test_every_network_class_is_registered():
    from symbias.networks import Network

    def concrete(kind):
        inner = [sub for child in kind.__subclasses__() for sub in concrete(child)]
        return inner + ([kind] if kind.name and kind.__module__.startswith("symbias.") else [])

    assert set(concrete(Network)) == set(NETWORKS.values())


@pytest.mark.parametrize("identity", STATEMENTS)
def test_a_registered_statement_is_recorded_tested_and_derived(identity):
    statement = STATEMENTS[identity].statement
    assert statement.id == identity
    assert statement.title and statement.text and statement.assumptions and statement.formula and statement.place
    assert statement.sources and set(statement.sources) <= set(ENTRIES)
    missing = missing_for_statement(ROOT, identity)
    assert not missing, f"{identity} needs " + "; ".join(missing)


def test_every_theorem_file_is_registered():
    folder = ROOT / "symbias" / "theorems"
    files = {path.stem for path in folder.rglob("*.py") if re.fullmatch(r"(theorem|corollary|lemma)_\d+", path.stem)}
    assert files and files <= set(STATEMENTS)


def test_every_covered_statement_and_every_cited_derivation_exists():
    assert covered(ROOT) <= set(STATEMENTS)
    cited = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in (ROOT / "symbias").rglob("*.py")
        for name in re.findall(r"derivations/(\w+\.py)", path.read_text(encoding="utf-8"))
    }
    absent = sorted(f"{path} cites derivations/{name}" for path, name in cited if not _exists(name))
    assert cited and not absent, "; ".join(absent)


def _exists(name: str) -> bool:
    return (ROOT / "derivations" / name).exists()


# The mechanism itself: it sees what is missing


@pytest.fixture
def project(tmp_path):
    """A project in which the network Ring and the statement theorem_9 have all they need."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "derivations").mkdir()
    (tmp_path / "tests" / "test_networks_ring.py").write_text("def test_it():\n    sb.Ring(2)\n")
    (tmp_path / "derivations" / "assumption_1_ring.py").write_text("assert Ring(2)\n")
    (tmp_path / "tests" / "test_theorems_theorem_9.py").write_text("def test_it():\n    pass\n")
    (tmp_path / "derivations" / "theorem_9.py").write_text("assert True\n")
    return tmp_path


def test_the_mechanism_accepts_what_is_complete(project):
    assert missing_for_network(project, "Ring", "ring") == []
    assert missing_for_statement(project, "theorem_9") == []


@pytest.mark.parametrize("broken", ["absent", "# Ring\ndef test_it(): pass", "Ring(2)"])
def test_the_mechanism_sees_a_network_without_a_test(project, broken):
    replace(project / "tests" / "test_networks_ring.py", broken)
    assert len(missing_for_network(project, "Ring", "ring")) == 1


@pytest.mark.parametrize("broken", ["absent", "Ring(2)", "assert 'Ring'"])
def test_the_mechanism_sees_a_network_without_a_derivation(project, broken):
    replace(project / "derivations" / "assumption_1_ring.py", broken)
    assert len(missing_for_network(project, "Ring", "ring")) == 1


def test_the_mechanism_sees_a_statement_without_a_test_or_a_derivation(project):
    replace(project / "derivations" / "theorem_9.py", "print('no assertion')")
    replace(project / "tests" / "test_theorems_theorem_9.py", "absent")
    assert len(missing_for_statement(project, "theorem_9")) == 2


@pytest.mark.parametrize(("tests", "enough"), [("def test_it(): pass", True), ("", False)])
def test_a_covers_list_counts_where_there_are_tests(project, tests, enough):
    replace(project / "tests" / "test_theorems_theorem_9.py", "absent")
    (project / "tests" / "test_others.py").write_text(f'COVERS = ["theorem_9"]\n{tests}\n')
    assert (missing_for_statement(project, "theorem_9") == []) is enough


def replace(path: Path, content: str) -> None:
    path.unlink() if content == "absent" else path.write_text(content + "\n")

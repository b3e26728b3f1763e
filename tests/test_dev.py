"""dev.py: what it installs and when, and its one line for each thing that is missing. Nothing here uses the network."""

import ast
import configparser
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = (ROOT / "dev.py").read_text(encoding="utf-8")

# Plays the part of .venv/bin/python: notes how it was called, and fails or answers as the environment says.
FAKE_PYTHON = """#!/bin/sh
echo "$@" >> "$FAKE_LOG"
case "$*" in
    *pip*) printf '%s' "$FAKE_PIP_SAYS"; exit "${FAKE_PIP_STATUS:-0}" ;;
    *) exit "${FAKE_STATUS:-0}" ;;
esac
"""


@pytest.fixture
def dev(tmp_path, monkeypatch):
    """dev.py as a module, in a copy of the project in which .venv is made without pip and its Python is a fake."""
    for name in ("dev.py", "setup.cfg", "constraints.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    spec = importlib.util.spec_from_file_location("dev_copy", tmp_path / "dev.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert str(tmp_path) == module.ROOT
    monkeypatch.setenv("FAKE_LOG", str(tmp_path / "calls"))
    run = subprocess.run

    def fake_venv(command, **options):
        if command[1:3] != ["-m", "venv"]:
            return run(command, **options)
        python = Path(module.PYTHON)
        python.parent.mkdir()
        python.write_text(FAKE_PYTHON)
        python.chmod(0o755)
        return subprocess.CompletedProcess(command, 0, stdout=b"")

    monkeypatch.setattr(module.subprocess, "run", fake_venv)
    return module


def calls(dev):
    """What the fake Python was asked to do, and forget it."""
    log = Path(dev.ROOT) / "calls"
    lines = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return lines


def installs(dev):
    return [re.search(r"\[(.*)\]", line)[1] for line in calls(dev) if "pip install" in line]


# What is installed, and when


def test_the_first_use_installs_and_the_second_does_not(dev):
    assert dev.main(["test", "-x", "tests/test_data.py"]) == 0
    first = calls(dev)
    assert "pip install" in first[0] and first[0].endswith("[test,fast,plot]") and "constraints.txt" in first[0]
    assert first[1:] == ["-m pytest -x tests/test_data.py"]
    assert dev.main(["test"]) == 0
    assert calls(dev) == ["-m pytest"]


def test_each_command_installs_only_what_it_needs(dev):
    for command in ("run", "test", "lint", "run", "bench", "docs"):
        dev.main([command])
    assert installs(dev) == ["fast,plot", "test,fast,plot", "dev,test,fast,plot", "fast,peers", "docs,fast"]


@pytest.mark.parametrize("name", ["constraints.txt", "pyproject.toml"])
def test_a_changed_pin_installs_again(dev, name):
    dev.main(["run"])
    with open(Path(dev.ROOT) / name, "a") as file:
        file.write("# changed\n")
    dev.main(["run"])
    assert installs(dev) == ["fast,plot", "fast,plot"]


def test_a_changed_dependency_installs_again_but_a_changed_setting_of_a_tool_does_not(dev):
    dev.main(["run"])
    path = Path(dev.ROOT) / "setup.cfg"
    path.write_text(path.read_text().replace("filterwarnings = error", "filterwarnings = ignore"))
    dev.main(["run"])
    assert installs(dev) == ["fast,plot"]
    path.write_text(path.read_text().replace("    python-flint\n", ""))
    dev.main(["run"])
    assert installs(dev) == ["fast,plot"]


def test_every_extra_that_a_command_needs_exists():
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("dev_itself", ROOT / "dev.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for extras, _, _ in module.COMMANDS.values():
        assert set(extras) <= set(parser["options.extras_require"])


# A .venv that is half made, moved or broken


def test_a_moved_checkout_or_an_upgraded_python_makes_a_new_venv(dev, capsys):
    dev.main(["run"])
    dev.write_stamp("venv", "/usr/bin/python3.10 in /elsewhere")
    dev.main(["run"])
    assert installs(dev) == ["fast,plot", "fast,plot"]
    assert capsys.readouterr().err.count("making .venv") == 2


def test_an_interrupted_install_is_done_again_from_nothing(dev, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(dev.subprocess, "call", interrupted)
        dev.main(["run"])
    (Path(dev.VENV) / "half").write_text("")
    assert dev.main(["run"]) == 0
    assert installs(dev) == ["fast,plot"] and not (Path(dev.VENV) / "half").exists()
    assert capsys.readouterr().err.count("making .venv") == 2


def test_a_venv_that_somebody_else_made_is_left_alone(dev):
    theirs = Path(dev.VENV) / "precious"
    theirs.parent.mkdir()
    theirs.write_text("")
    with pytest.raises(dev.Stop, match="not made by dev.py: move it away"):
        dev.main(["run"])
    assert theirs.exists()


# One line for each thing that is missing


def test_an_old_python_is_told_which_it_must_be(dev):
    with pytest.raises(dev.Stop, match=r"^symbias needs Python 3\.11 or newer, and this is 3\.10$"):
        dev.check_python((3, 10, 4, "final", 0))
    assert dev.check_python((3, 11, 0)) is None and dev.check_python((4, 0)) is None


def test_an_old_python_can_read_dev_py_at_all():
    assert ast.parse(SOURCE, feature_version=(3, 6))
    with pytest.raises(SyntaxError):
        ast.parse(SOURCE + "\nif (n := 1):\n    pass\n", feature_version=(3, 6))


def test_dev_py_needs_the_standard_library_only_and_agrees_with_setup_cfg(dev):
    nodes = list(ast.walk(ast.parse(SOURCE)))
    imported = {alias.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    assert "subprocess" in imported and imported <= sys.stdlib_module_names
    assert not any(isinstance(node, ast.ImportFrom) for node in nodes)
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    assert parser["options"]["python_requires"] == ">={}.{}".format(*dev.OLDEST)


@pytest.mark.parametrize("absent", ["venv", "ensurepip"])
def test_a_python_without_venv_is_told_what_to_install(dev, monkeypatch, absent):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(dev.importlib.util, "find_spec", lambda name: None if name == absent else find_spec(name))
    with pytest.raises(dev.Stop, match="apt install python3-venv"):
        dev.main(["run"])
    assert not Path(dev.VENV).exists()


def test_a_venv_that_cannot_be_made_leaves_nothing_behind(dev, monkeypatch):
    def failing(command, **_):
        (Path(dev.VENV) / "half").write_text("")
        return subprocess.CompletedProcess(command, 1, stdout=b"Error:\nensurepip is not available\n")

    monkeypatch.setattr(dev.subprocess, "run", failing)
    with pytest.raises(dev.Stop, match=r"failed \(ensurepip is not available\).*apt install python3-venv"):
        dev.main(["run"])
    assert not Path(dev.VENV).exists()


def test_without_network_one_line_says_so_and_what_was_there_still_works(dev, monkeypatch):
    dev.main(["run"])
    monkeypatch.setenv("FAKE_PIP_STATUS", "1")
    monkeypatch.setenv("FAKE_PIP_SAYS", "WARNING: Retrying: NewConnectionError(...)\nERROR: No matching distribution\n")
    with pytest.raises(dev.Stop, match="^no network: .* run this again$"):
        dev.main(["test"])
    calls(dev)
    assert dev.main(["run"]) == 0
    assert calls(dev) == ["-m symbias"]
    monkeypatch.delenv("FAKE_PIP_STATUS")
    assert dev.main(["test"]) == 0
    assert installs(dev) == ["test,fast,plot"]


def test_another_failure_of_pip_names_its_error_and_the_log(dev, monkeypatch):
    monkeypatch.setenv("FAKE_PIP_STATUS", "1")
    monkeypatch.setenv("FAKE_PIP_SAYS", "Collecting\nERROR: No space left on device\n\nhint: buy a disk\n")
    with pytest.raises(dev.Stop, match=r"^pip failed \(ERROR: No space left on device\); all it said is in .*pip.log$"):
        dev.main(["run"])
    monkeypatch.delenv("FAKE_PIP_STATUS")
    assert dev.main(["run"]) == 0


# As a person calls it


def command_line(*arguments, python=sys.executable):
    return subprocess.run([python, str(ROOT / "dev.py"), *arguments], capture_output=True, text=True)


def test_help_lists_the_commands_and_an_unknown_one_is_refused(dev):
    for arguments in ([], ["--help"]):
        shown = command_line(*arguments)
        assert shown.returncode == 0
        assert all(f"dev.py {command}" in shown.stdout for command in dev.COMMANDS)
        assert max(map(len, shown.stdout.splitlines())) <= 120
    shown = command_line("tset")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr == "dev.py: there is no command 'tset'; there are run, test, lint, bench, docs\n"


def test_exit_statuses_are_passed_through_and_lint_runs_all_its_parts(dev, monkeypatch):
    monkeypatch.setenv("FAKE_STATUS", "3")
    assert dev.main(["run", "check", "data.csv"]) == 3
    assert calls(dev)[1:] == ["-m symbias check data.csv"]
    assert dev.main(["lint"]) == 3
    parts = calls(dev)[1:]
    assert parts[:3] == ["-m ruff check", "-m ruff format --check", "-m mypy symbias"] and "importlinter" in parts[3]
    with pytest.raises(dev.Stop, match="lint takes no arguments"):
        dev.main(["lint", "symbias"])


def test_run_stays_where_the_user_is_and_the_tests_run_in_the_repository(dev, monkeypatch, tmp_path):
    places = []
    monkeypatch.setattr(dev, "call", lambda arguments, cwd: places.append(cwd) or 0)
    dev.main(["run"])
    dev.main(["test"])
    assert places == [None, str(tmp_path)]


def test_a_program_ended_by_a_signal_has_the_status_a_shell_would_give(dev, monkeypatch):
    monkeypatch.setattr(dev, "PYTHON", sys.executable)
    assert dev.call(["-c", "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"], None) == 128 + 15
    assert dev.call(["-c", "raise SystemExit(5)"], None) == 5


def test_an_interrupt_waits_for_the_program_and_leaves_no_traceback(dev, tmp_path):
    # A terminal sends Ctrl-C to both; here the program sends it to dev.py, which waits for the last word.
    program = (
        "import os, signal, time; os.kill(os.getppid(), signal.SIGINT); time.sleep(0.3); print('ended', flush=True)"
    )
    starter = f"import sys; sys.argv = ['dev.py', 'run']; sys.path.insert(0, {str(tmp_path)!r})\n" + re.sub(
        r"(?m)^if __name__",
        f"prepare = lambda extras: None\nPYTHON = sys.executable\nCOMMANDS['run'] = ([], False, "
        f"[['-c', {program!r}]])\nif __name__",
        (tmp_path / "dev.py").read_text(),
    )
    (tmp_path / "starter.py").write_text(starter)
    shown = subprocess.run([sys.executable, str(tmp_path / "starter.py")], capture_output=True, text=True)
    assert (shown.returncode, shown.stdout, shown.stderr) == (130, "ended\n", "dev.py: interrupted\n")


# The project's own records


def test_the_version_is_the_same_everywhere():
    version = re.search(r'^__version__ = "(.*)"$', (ROOT / "symbias" / "__init__.py").read_text(), re.M)[1]
    assert re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.M)[1] == version
    assert re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)[1] == version


def test_constraints_pin_every_dependency_and_name_no_place():
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r'[\w.-]+==[\w.]+( ; [a-z_]+ (<|==) "[\w.]+")?', line) for line in lines)
    pinned = {re.split("==", line)[0].lower().replace("_", "-") for line in lines}
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    wanted = [parser["options"]["install_requires"], *parser["options.extras_require"].values()]
    names = {re.match(r"[\w-]+", line)[0] for block in wanted for line in block.split("\n") if line.strip()}
    assert names <= pinned and len(names) > 15


def test_continuous_integration_runs_what_a_developer_runs():
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert [line for line in lines if "dev.py" in line] == ["python3 dev.py test", "python3 dev.py lint"]
    assert "set -e" in lines and os.access(ROOT / ".ci" / "run", os.X_OK)

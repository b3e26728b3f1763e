"""``sb.derive``: every step fails when perturbed, every way of printing it works, for every network."""

import re
import shutil
import subprocess

import pytest

import symbias as sb
from symbias import formulas
from symbias.derivation import Derivation
from symbias.errors import BadInput
from symbias.proof import CHECKS, ProofFails
from symbias.tensor_proof import Polynomial, contraction_steps
from symbias.verdict import Result

NETWORKS = {
    "diagonal": sb.Diagonal(2, 3),
    "convolutional": sb.Convolutional(4, 3),
    "short_filter": sb.Convolutional(4, 2, filters=(2, 4)),
    "fully_connected": sb.FullyConnected(2, 2),
    "matrix_sensing": sb.MatrixSensing(2, 2),
    "linear": sb.Linear(2),
    "difference_of_powers": sb.DifferenceOfPowers(2, 3),
}
DERIVED = {name: sb.derive(network) for name, network in NETWORKS.items()}


@pytest.fixture(params=DERIVED)
def derivation(request):
    return DERIVED[request.param]


def test_every_step_fails_when_perturbed(derivation):
    assert derivation.steps
    for step in derivation.steps:
        assert step.fails_when_perturbed(), step.title
        assert step.check in CHECKS


def test_verify_counts_the_steps_it_proves_again(derivation):
    assert derivation.verify() == len(derivation.steps)


def test_text_fits_80_columns(derivation):
    text = derivation.to_text(80)
    assert max(map(len, text.splitlines())) <= 80
    for step in derivation.steps:
        assert step.check.replace("_", " ") in " ".join(text.split())


def test_markdown_holds_every_section(derivation):
    text = derivation.to_markdown()
    assert all(f"## {section.title}" in text for section in derivation.sections)
    assert text.count("$$") % 2 == 0


#: Commands of LaTeX and amsmath that our formulas may use; one that is not here does not compile as it is.
KNOWN = set(
    "Big Bigl Bigr Gamma Theta allowdisplaybreaks alpha arcsin arctan arg asinh atan author bar begin beta big "
    "bigl bigr binom cdot cdots circ cos cosh cot csc dagger date ddots delta displaystyle documentclass dot dots "
    "emph end epsilon eta exp frac gamma ge geq hat in infty int kappa lambda langle ldots le left leq lfloor lim "
    "limits log maketitle mathbb mathbf mathop mathrm max mid min mu ne neq not nu odot omega operatorname otimes "
    "overline paragraph partial phi pi prod psi quad rangle rfloor rho right sec section sigma sin sinh sqrt star "
    "sum tan tanh tau text textasciitilde textbackslash theta tilde times title to top underset usepackage vdots "
    "xi zeta".split()
)


def test_latex_uses_known_commands_and_balanced_environments(derivation):
    latex = derivation.to_latex()
    unknown = {command for command in re.findall(r"(?<!\\)\\([A-Za-z]+)", latex) if command not in KNOWN}
    assert not unknown
    opened = re.findall(r"\\(begin|end)\{([a-z*]+)\}", latex)
    stack = []
    for kind, name in opened:
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert not stack
    # braces balance when the escaped ones are left out
    bare = re.sub(r"\\[{}]", "", latex)
    assert bare.count("{") == bare.count("}")


def test_latex_compiles_where_there_is_an_engine(derivation, tmp_path):
    engine = shutil.which("pdflatex")
    if engine is None:  # the commands were checked above; that is all that can be said without TeX
        assert "\\end{document}" in derivation.to_latex()
        return
    (tmp_path / "d.tex").write_text(derivation.to_latex())
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "d.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120)
    assert done.returncode == 0, done.stdout[-1500:]


@pytest.mark.parametrize("name", ["short_filter", "fully_connected", "linear"])  # the others take seconds each to draw
def test_html_needs_no_network(name):
    derivation = DERIVED[name]
    page = derivation._repr_html_()
    assert "<script" not in page and not re.search(r"(src|href)=\"https?:", page)
    assert all(formulas.html(section.title) in page for section in derivation.sections)


def test_a_derivation_reads_back_and_proves_itself_again():
    again = Result.from_dict(DERIVED["diagonal"].to_dict())
    assert isinstance(again, Derivation) and again.verify() == len(DERIVED["diagonal"].steps)


def test_a_false_step_in_a_stored_derivation_is_found():
    record = DERIVED["diagonal"].to_dict()
    steps = [step for section in record["sections"] for step in section["steps"]]
    step = next(step for step in steps if step["title"].startswith("The coordinates"))
    step["rhs"] = {"sympy": "Tuple(Symbol('a', positive=True), Integer(1))"}
    with pytest.raises(ProofFails):
        Result.from_dict(record)


def test_one_sample_keeps_everything_symbolic():
    net = sb.Diagonal(2, 3)
    problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, 1, 1))
    titles = [step.title for step in sb.derive(problem).steps]
    assert any("One sample" in title for title in titles)
    assert not any("One sample" in step.title for step in DERIVED["diagonal"].steps)


def test_what_cannot_be_derived_says_so():
    net = sb.Diagonal(2, 2)
    two = sb.Regression(net, [[1, 2], [0, 1]], [1, 1], sb.Initialization.theorem_5(net, 1, 1))
    for subject, word in [(two, "2"), ("diagonal", "network or a problem")]:
        with pytest.raises(BadInput, match=word):
            sb.derive(subject)


def test_a_short_filter_names_the_identity_that_fails():
    section = DERIVED["short_filter"].sections[1]
    assert "filter 1 has length 2" in section.text and not section.steps


def test_a_changed_network_is_not_its_tensor():
    # x^T beta with one block doubled is another polynomial
    class Doubled(sb.Diagonal):
        def forward(self, x, blocks):
            return super().forward(x, blocks) + super().forward(x, blocks)

    with pytest.raises(ProofFails):
        contraction_steps(Doubled(2, 2))


def test_polynomials_by_hand():
    x, y = Polynomial({(0,): 1}), Polynomial({(1,): 1})
    assert ((x + y) * (x - y)).terms == {(0, 0): 1, (1, 1): -1}
    assert ((x + 1) ** 2).terms == {(0, 0): 1, (0,): 2, (): 1}
    assert (x - x).terms == {}

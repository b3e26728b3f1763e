"""An example for every statement: run when its page is built, and by tests/test_docs.py."""

EXAMPLES = {
    "lemma_4": """
from symbias.functions import c, h_inverse

print(h_inverse(3, 1).evalf(30))   # the time at which p^2 q reaches 1
print(c(3), c(4), c(6))            # when it blows up
""",
    "theorem_5": """
import symbias as sb

net = sb.Diagonal(dim=2, depth=3)
start = sb.Initialization.theorem_5(net, alpha="0.01", eta=[2, 1])
problem = sb.Regression(net, [[2, "2.5"]], [1], start)
print(sb.predict(problem, digits=25, theorem="theorem_5"))
print(sb.limit(problem, alpha=0).coefficients)   # the weighted l1 norm decides
""",
    "corollary_5": """
import symbias as sb

net = sb.Diagonal(dim=2, depth=4)
problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization.theorem_5(net, alpha=1, eta=1))
print(sb.predict(problem, digits=18, theorem="corollary_5"))
""",
    "corollary_6": """
import symbias as sb

net = sb.Convolutional(dim=4, depth=3)
X = [[4, 1, 2, 1]]   # even: x_i = x_{d-i}, counted from 0
problem = sb.Regression(net, X, [1], sb.Initialization.theorem_5(net, alpha="0.1", eta=1))
print(sb.predict(problem, digits=20, theorem="corollary_6"))
""",
    "corollary_7": """
import symbias as sb

net = sb.MatrixSensing(dim=2, depth=2)
A = [[[2, 1], [1, 2]]]
problem = sb.Regression(net, A, [1], sb.Initialization.theorem_5(net, alpha="0.1", eta=1))
print(sb.predict(problem, digits=15, theorem="corollary_7").coefficients.astype(float))
""",
    "theorem_6": """
import symbias as sb

net = sb.Convolutional(dim=3, depth=2, filters=[2, 3])
start = sb.Initialization(alpha="0.5", directions=[[1, "0.5"], [0, 0, 0]])
problem = sb.Regression(net, [[1, 2, 4]], [1], start)
print(sb.predict(problem, digits=20))
""",
    "theorem_7": """
import symbias as sb

net = sb.FullyConnected(dim=2, depth=2)
start = sb.Initialization(alpha="0.001", directions=[[[1, 0], [0, 1]], ["0.5", 0]])
problem = sb.Regression(net, [[1, 2]], [1], start)
print(sb.limit(problem, alpha=0, theorem="theorem_7").coefficients)
print(sb.predict(problem, theorem="theorem_7").coefficients)
""",
    "theorem_1": """
import symbias as sb

net = sb.Convolutional(dim=3, depth=2, filters=[2, 3])
start = sb.Initialization(alpha=1, directions=[[1, "0.5"], [1, 0, 0]])
problem = sb.Classification(net, [[1, 2, 4]], [1], start)
print(sb.predict(problem, theorem="theorem_1").direction)
""",
    "corollary_1": """
import symbias as sb

net = sb.FullyConnected(dim=2, depth=2)
start = sb.Initialization(alpha=1, directions=[[[1, 0], [0, 1]], ["0.5", "0.25"]])
problem = sb.Classification(net, [[1, 2], [0, -3]], [1, -1], start)
print(sb.predict(problem, digits=20))
""",
    "theorem_2": """
import symbias as sb

net = sb.Diagonal(dim=2, depth=2)
start = sb.Initialization(alpha=1, directions=[[1, 1], [0, 0]])
problem = sb.Classification(net, [[1, 2], [0, -3]], [1, -1], start)
print(sb.predict(problem, theorem="theorem_2").direction)
""",
    "corollary_2": """
import symbias as sb

net = sb.Diagonal(dim=2, depth=2)
start = sb.Initialization(alpha=1, directions=[[1, 1], [0, 0]])
problem = sb.Classification(net, [[1, 2], [2, -1]], [1, 1], start)
print(sb.predict(problem, theorem="corollary_2").coefficients)
""",
    "corollary_3": """
import symbias as sb

net = sb.Convolutional(dim=2, depth=2)
start = sb.Initialization(alpha=1, directions=[[1, 0], [0, 0]])
problem = sb.Classification(net, [[1, 2], [0, -3]], [1, -1], start)
print(sb.predict(problem, theorem="corollary_3").direction)
""",
    "theorem_3": """
import symbias as sb

net = sb.Convolutional(dim=4, depth=2, filters=[3, 4])
start = sb.Initialization(alpha=1, directions=[[1, "0.5", "0.25"], [0, 0, 0, 0]])
problem = sb.Classification(net, [[1, 2, 4, 0]], [1], start)
print(sb.predict(problem, theorem="theorem_3", digits=20).direction.astype(float))
""",
    "corollary_4": """
import symbias as sb

net = sb.Convolutional(dim=4, depth=2, filters=[2, 4])
start = sb.Initialization(alpha=1, directions=[[1, "0.5"], [0, 0, 0, 0]])
problem = sb.Classification(net, [[1, 2, 4, 0]], [1], start)
print(sb.predict(problem, theorem="corollary_4").direction)   # a low-pass filtered x
""",
    "lazy": """
import sympy
import symbias as sb

net = sb.FullyConnected(dim=2, depth=2)
start = sb.Initialization(alpha=1, directions=[[[1, 2], [0, 1]], [0, 0]])
problem = sb.Regression(net, [[1, 2]], [1], start)
print(sb.limit(problem, alpha=sympy.oo, theorem="lazy").coefficients)
""",
    "general_initialization": """
import symbias as sb

net = sb.Diagonal(dim=2, depth=3)
start = sb.Initialization(alpha="0.5", directions=[[1, 2], [1, 1], ["0.5", "-0.25"]])
problem = sb.Regression(net, [[1, 2]], [1], start)
print(sb.predict(problem, digits=20))
""",
    "difference_of_powers": """
import symbias as sb

net = sb.DifferenceOfPowers(dim=2, depth=3)
start = sb.Initialization(alpha="0.1", directions=[[1, 1], [1, 1]])
problem = sb.Regression(net, [[1, 2]], [1], start)
print(sb.predict(problem, digits=20))
""",
    "linear": """
import symbias as sb

net = sb.Linear(dim=2)
problem = sb.Regression(net, [[1, 2]], [1], sb.Initialization(alpha=1, directions=[[1, 1]]))
print(sb.predict(problem, digits=15))
""",
}

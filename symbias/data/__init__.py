"""Two bundled real data sets, and the reader of a user's own CSV or npz file.

``load_diabetes``: six patients of the diabetes study of Efron, Hastie, Johnstone and Tibshirani (Least Angle
Regression, Annals of Statistics 32, 2004), rows 27, 42, 128, 148, 420 and 440 (from 0) of the 442 in scikit-learn's
copy: the six whose standardised rows were found best conditioned by exchange from random starts, so that the flow of a
network on them can be integrated to 30 digits in seconds. They are no sample of the 442. Each of the ten columns was
standardised over all 442 patients: their mean subtracted, divided by their standard deviation (of the 442, not 441).
The target is the progression of the disease after one year, with the mean over all 442, 152.133484..., subtracted.
Both were rounded to six decimals; these decimals are the exact data. The six rows have rank 6 and condition number
1.60.

``load_digits``: twenty handwritten digits, the first ten zeros (label -1) and then the first ten ones (label +1) of
scikit-learn's copy of Optical Recognition of Handwritten Digits (Alpaydin and Kaynak, UCI Machine Learning Repository,
1998). Column ``pRC`` is the pixel of row R and column C of the 8 x 8 image, an integer from 0 to 16. The rank is 20.
"""

from dataclasses import replace
from importlib.resources import as_file, files

from symbias.data.dataset import Dataset
from symbias.data.reader import read

__all__ = ["Dataset", "load_diabetes", "load_digits", "read"]


def load_diabetes() -> Dataset:
    """Return six patients of the diabetes study, standardised: X of shape (6, 10), y the progression, centred.

    Examples
    --------
    >>> patients = load_diabetes()
    >>> patients.columns[:4], patients.target
    (('age', 'sex', 'bmi', 'bp'), 'progression')
    >>> patients.X[0, 2], patients.y[0]
    (1251769/1000000, -16783371/250000)
    """
    return _bundled("diabetes.csv", "six patients of the diabetes study (Efron et al. 2004), standardised")


def load_digits() -> Dataset:
    """Return twenty handwritten digits, zeros (y = -1) against ones (y = +1): X of shape (20, 64), integers 0 to 16.

    Examples
    --------
    >>> digits = load_digits()
    >>> digits.X.shape, digits.y[0], digits.y[-1]
    ((20, 64), -1, 1)
    """
    return _bundled("digits.csv", "twenty handwritten digits, zeros against ones (Alpaydin and Kaynak 1998)")


def _bundled(name: str, origin: str) -> Dataset:
    with as_file(files("symbias.data") / name) as path:
        return replace(read(path), origin=origin)

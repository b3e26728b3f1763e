"""The bundled data sets and the reader of CSV and npz."""

from fractions import Fraction

import numpy as np
import pytest
import sympy

from symbias.data import load_diabetes, load_digits, read
from symbias.errors import BadInput


@pytest.fixture
def write(tmp_path):
    """Write text, bytes or arrays to a file and return its path."""

    def make(content, name="data.csv"):
        path = tmp_path / name
        if isinstance(content, dict):
            np.savez(path, **content)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return make


def refused(path, *words, **options):
    """The reader refuses the file in one sentence, which names the file and the words."""
    with pytest.raises(BadInput) as caught:
        read(path, **options)
    message = str(caught.value)
    assert "\n" not in message and path.name in message
    for word in words:
        assert word in message, message


# The bundled data


def test_diabetes_is_six_exact_patients_of_full_rank():
    data = load_diabetes()
    assert data.X.shape == (6, 10) and data.y.shape == (6,)
    assert data.columns == ("age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6")
    assert all(isinstance(entry, sympy.Rational) for entry in [*data.X.flat, *data.y])
    assert sympy.Matrix(data.X.tolist()).rank() == 6
    # numpy's condition number of scikit-learn's six rows is 1.6028.
    assert np.linalg.cond(data.X.astype(float)) == pytest.approx(1.6028, abs=1e-3)


def test_diabetes_is_the_published_table():
    # Standardising is linear, so within a column the differences of published measurements are proportional. The sex of
    # a patient is coded 1 or 2 and all ages are whole years, so both columns are known up to scale without another
    # copy.
    data = load_diabetes()
    sex, age = (data.X[:, data.columns.index(name)].astype(float) for name in ("sex", "age"))
    assert len(set(sex.round(5))) == 2
    years = (age - age.min()) * 13.0942  # the standard deviation of the 442 ages
    assert np.abs(years - years.round()).max() < 1e-3
    # Progression is a whole number, centred by the mean of all 442, 152.133484 (Efron et al. 2004).
    assert all(abs(float(v) + 152.133484 - round(float(v) + 152.133484)) < 1e-5 for v in data.y)


def test_digits_are_twenty_images_of_integers_from_0_to_16():
    data = load_digits()
    assert data.X.shape == (20, 64) and data.columns[0] == "p00" and data.columns[-1] == "p77"
    assert all(entry.is_Integer and 0 <= entry <= 16 for entry in data.X.flat)
    assert list(data.y) == [-1] * 10 + [1] * 10
    assert np.linalg.matrix_rank(data.X.astype(float)) == 20


def test_the_middle_of_a_zero_is_empty_and_that_of_a_one_is_not():
    data = load_digits()
    middle = data.X[:, [data.columns.index(name) for name in ("p33", "p34", "p43", "p44")]].sum(axis=1)
    assert max(middle[:10]) < min(middle[10:])


def test_data_sets_say_where_they_come_from_and_are_read_only():
    for data in (load_diabetes(), load_digits()):
        assert "Efron" in data.origin or "Alpaydin" in data.origin
        assert data.origin in repr(data)
        with pytest.raises(ValueError, match="read-only"):
            data.X[0, 0] = 1
        with pytest.raises(AttributeError):
            data.target = "other"


# CSV that is read


def test_text_is_kept_as_the_exact_decimal(write):
    data = read(write("a,b,y\n0.1,1e-30,3\n-2.50,1/3,+.5\n"))
    tenth = sympy.Rational(1, 10)
    assert data.X.tolist() == [[tenth, tenth**30], [sympy.Rational(-5, 2), sympy.Rational(1, 3)]]
    assert data.y.tolist() == [3, sympy.Rational(1, 2)]
    assert data.X[0, 0] != sympy.Rational(*Fraction(0.1).as_integer_ratio())


def test_the_last_column_is_the_target_unless_another_is_named(write):
    path = write("a,b,y\n1,2,3\n4,5,6\n")
    assert read(path).columns == ("a", "b") and read(path).y.tolist() == [3, 6]
    named = read(path, target="a")
    assert (named.columns, named.target) == (("b", "y"), "a")
    assert named.X.tolist() == [[2, 3], [5, 6]] and named.y.tolist() == [1, 4]


@pytest.mark.parametrize(
    "content",
    [
        "a,y\r\n1,2\r\n3,4\r\n",
        b"\xef\xbb\xbfa,y\n1,2\n3,4\n",
        '"a","y"\n"1","2"\n3, 4 \n',
        "a,y\n1,2\n\n3,4\n\n\n",
        "a,y\n1,2\n3,4",
        "a,y\r1,2\r3,4\r",
    ],
    ids=["CRLF", "byte order mark", "quotes and spaces", "blank lines", "no last newline", "old Mac"],
)
def test_the_usual_dialects_are_read_alike(write, content):
    data = read(write(content))
    assert data.columns == ("a",) and data.X.tolist() == [[1], [3]] and data.y.tolist() == [2, 4]


def test_a_quoted_name_may_hold_a_comma_and_the_extension_may_be_upper_case(write):
    assert read(write('"a, in cm",y\n1,2\n', "data.CSV")).columns == ("a, in cm",)


# CSV that is refused

BAD_CSV = {
    "empty": ("", "empty"),
    "blank": ("\n\n", "empty"),
    "header only": ("a,b,y\n", "no samples"),
    "one column": ("a;b;y\n1;2;3\n", "one column only"),
    "text": ("a,b,y\n1,2,3\n4,five,6\n", "line 3", "column 'b'", "'five'"),
    "empty field": ("a,b,y\n1,,3\n", "line 2", "column 'b'", "empty"),
    "nan": ("a,b,y\n1,2,3\nNaN,5,6\n", "line 3", "column 'a'", "not finite"),
    "infinity": ("a,b,y\n1,2,-inf\n", "line 2", "column 'y'", "not finite"),
    "out of range": ("a,y\n1e-999999999,2\n", "line 2", "column 'a'", "out of range"),
    "out of range, grouped": ("a,y\n1e9_99_99999,2\n", "line 2", "column 'a'", "out of range"),
    "division by zero": ("a,y\n1/0,2\n", "line 2", "column 'a'", "1/0"),
    "short line": ("a,b,y\n1,2,3\n4,5\n", "line 3", "2 fields", "3 columns"),
    "long line after a blank": ("a,y\n\n1,2,3\n", "line 3", "3 fields", "2 columns"),
    "two columns of one name": ("a,b,a,y\n1,2,3,4\n", "'a'", "two columns"),
    "column without a name": ("a,,y\n1,2,3\n", "column 2"),
    "no header": ("1,2,3\n4,5,6\n", "header"),
    "open quote": ('a,y\n"1,2\n', "line 2", "comma-separated"),
    "Latin 1": (b"gr\xf6\xdfe,y\n1,2\n", "line 1", "UTF-8"),
    "UTF-16": ("a,y\n1,2\n".encode("utf-16"), "line 1", "UTF-8"),
}


@pytest.mark.parametrize("case", BAD_CSV)
def test_a_bad_csv_is_refused_naming_the_place(write, case):
    content, *words = BAD_CSV[case]
    refused(write(content), *words)


def test_an_unknown_target_lists_the_columns(write):
    refused(write("a,b,y\n1,2,3\n"), "'c'", "a, b, y", target="c")


def test_a_file_that_is_missing_or_of_another_kind_is_refused(tmp_path, write):
    refused(tmp_path / "absent.csv", "no such file")
    refused(write("1", "data.txt"), ".csv or .npz", ".txt")
    (tmp_path / "folder.csv").mkdir()
    refused(tmp_path / "folder.csv", "cannot be read")


# npz


def test_floats_of_an_npz_stay_floats_and_integers_become_exact(write):
    X, y = np.array([[0.1, 2.0]]), np.array([3])
    data = read(write({"X": X, "y": y}, "data.npz"))
    assert data.X.dtype == np.float64 and np.array_equal(data.X, X)
    assert data.y.dtype == object and data.y[0] == sympy.Integer(3)
    assert data.columns == ("x1", "x2") and data.origin == "data.npz"


def test_text_in_an_npz_is_an_exact_decimal(write):
    assert read(write({"X": np.array([["0.1"]]), "y": np.array(["1"])}, "data.npz")).X[0, 0] == sympy.Rational(1, 10)


def test_an_npz_may_hold_square_matrices(write):
    data = read(write({"X": np.eye(3)[None], "y": np.ones(1)}, "data.npz"))
    assert data.X.shape == (1, 3, 3) and data.columns == ()


BAD_NPZ = {
    "no y": ({"X": np.eye(2), "labels": np.ones(2)}, "no array y", "X, labels"),
    "no X": ({"y": np.ones(2)}, "no array X", "holds y"),
    "objects": ({"X": np.eye(2), "y": np.array([{}, None])}, "y holds pickled"),
    "vector": ({"X": np.ones(2), "y": np.ones(2)}, "(2,)", "(n, d, d)"),
    "not square": ({"X": np.ones((2, 3, 4)), "y": np.ones(2)}, "(2, 3, 4)", "(n, d, d)"),
    "lengths": ({"X": np.eye(2), "y": np.ones(3)}, "(3,)", "2 rows"),
    "column vector": ({"X": np.eye(2), "y": np.ones((2, 1))}, "(2, 1)", "(2,)"),
    "nan": ({"X": np.array([[1.0, np.nan]]), "y": np.ones(1)}, "X[0, 1]", "finite"),
    "complex": ({"X": np.array([[1j]]), "y": np.ones(1)}, "X[0, 0]", "real"),
    "none": ({"X": np.empty((0, 2)), "y": np.empty(0)}, "empty"),
    "text": (b"a,y\n1,2\n", "not an npz"),
    "no bytes": (b"", "empty"),
}


@pytest.mark.parametrize("case", BAD_NPZ)
def test_a_bad_npz_is_refused_naming_the_array(write, case):
    content, *words = BAD_NPZ[case]
    refused(write(content, "data.npz"), *words)


def test_a_damaged_npz_is_refused(write):
    path = write({"X": np.eye(9), "y": np.ones(9)}, "data.npz")
    damaged = bytearray(path.read_bytes())
    damaged[200] ^= 255
    refused(write(bytes(damaged), "data.npz"), "X", "damaged")


def test_a_zip_that_holds_no_arrays_is_refused(tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "data.npz", "w") as file:
        file.writestr("X", "text")
        file.writestr("y", "text")
    refused(tmp_path / "data.npz", "X is not a numpy array")


def test_a_target_cannot_be_chosen_in_an_npz(write):
    refused(write({"X": np.eye(2), "y": np.ones(2)}, "data.npz"), "'a'", "CSV only", target="a")

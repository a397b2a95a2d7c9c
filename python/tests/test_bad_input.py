"""Bad input ends in an exception of Python with words that help, and never in a crash."""
import pickle
import sqlite3

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import mbnn
from conftest import TINY
from mbnn import MBNNClassifier, MBNNRegressor

pytestmark = pytest.mark.filterwarnings("ignore::mbnn.ConvergenceWarning")
X = np.random.default_rng(1).normal(size=(40, 2))
Y = X[:, 0] + 0.1 * X[:, 1]
FRAME = pd.DataFrame(X, columns=["a", "b"])


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    path = tmp_path_factory.mktemp("fits") / "y.mbnn"
    return MBNNRegressor(**TINY).fit(FRAME, Y, path=path)


@pytest.mark.parametrize("options, message", [
    ({"draws": 0}, "^draws = 0: must be at least 1$"),
    ({"draws": 1.5}, "^draws = 1.5: expected a whole number"),
    ({"draws": True}, "^draws = True: expected a whole number"),
    ({"draws": {}}, "^draws = {}: expected a number, a text or a list"),
    ({"leapfrog_steps": "many"}, "^leapfrog_steps = many: expected a whole number"),
    ({"leapfrog_steps": 5, "sampler": "nuts"}, "^leapfrog_steps: of use only with sampler hmc"),
    ({"sampler": "gibbs"}, "^sampler = gibbs: expected hmc, nuts, sgld or sghmc"),
    ({"lambda_": -1}, "^lambda_ = -1: must be positive"),
    ({"lambda_": float("nan")}, "^lambda_ = nan: must be positive"),
    ({"raw_target": 1}, "^raw_target = 1: expected True or False"),
    ({"hidden": []}, "^hidden = "),
    ({"chains": 5000}, "^chains = 5000: must be from 1 to 1000"),
    ({"preset": "paper", "method": "logistic"}, "of use only with method"),
    ({"n_jobs": 0}, "number of threads = 0"),
    ({"random_state": -1}, "^random_state = -1: must not be negative"),
    ({"random_state": "x"}, "cannot be used to seed"),
    ({"hidden": (10**7,)}, "a layer has at most 1000000")])
def test_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        MBNNRegressor(**{**TINY, **options}).fit(X, Y)


def test_unknown_arguments(tmp_path):
    with pytest.raises(TypeError):
        MBNNRegressor(drawss=1)
    with pytest.raises(TypeError, match="no argument 'drawss'; did you mean 'draws'?"):
        mbnn.fit({"x": X[:, 0], "y": Y}, tmp_path / "f.mbnn", target="y", drawss=1)


@pytest.mark.parametrize("X, y, message", [
    (X[0], Y, "Expected 2D array"), (X, Y[:-1], "inconsistent numbers of samples"), (X[:, :, None], Y, "dim 3"),
    (np.where(X > 2, np.inf, X), np.where(np.arange(40) == 7, np.inf, Y), "infinity"),
    (X, np.where(np.arange(40) == 7, np.nan, Y), "NaN"), (X, ["a"] * 40, "could not convert string"),
    (X.astype(complex), Y, "Complex data"), (X.astype(str).astype(object) + "a", Y, "could not convert"),
    (X[:3], Y[:3], "3 training rows with a target; at least 5"), (X, np.ones(40), "nothing to learn"),
    (np.ones((40, 2)), Y, "no usable input columns"), (FRAME.assign(a=np.inf), Y, "row 1, column 'a': inf"),
    (FRAME.assign(a=[{}] * 40), Y, "column 'a': {} is no cell"), (FRAME.assign(a="\ud800"), Y, "UTF-8"),
    (FRAME.assign(a=1j), Y, "column 'a': complex"), (FRAME.iloc[:0], Y[:0], "no rows|0 sample"),
    (pd.concat([FRAME, FRAME], axis=1), Y, "two columns are named 'a'"), (X, None, "target y is None"),
    (FRAME, Y[:, None] * [1, 2], "1d array")])
def test_data(X, y, message):
    with pytest.raises(ValueError, match=message):
        MBNNRegressor(**TINY).fit(X, y)


@pytest.mark.parametrize("y, message", [
    (np.ones(40), "one class only"), (Y, "Unknown label type"),
    (["NA", "b", "c", "c"] * 10, "'NA' stands for a missing label"),
    (["a ", "a", "b", "b"] * 10, "spelled like another"),
    (["a", None] * 20, ""), (np.arange(101), "more than 100 classes")])
def test_classes(y, message):
    rows = np.resize(X, (len(y), 2))
    with pytest.raises((ValueError, TypeError), match=message):
        MBNNClassifier(**TINY).fit(rows, y)


@pytest.mark.parametrize("method", ["predict", "predict_interval", "predict_dist", "predict_draws", "save", "resume",
                                    "sample_predictive", "to_xarray"])
def test_unfitted(method):
    arguments = {"to_xarray": [], "resume": []}.get(method, [X])
    with pytest.raises(NotFittedError):
        getattr(MBNNRegressor(), method)(*arguments)
    with pytest.raises(NotFittedError):
        MBNNClassifier().predict_proba(X)


@pytest.mark.parametrize("X, message", [
    (X[:, :1], "features"), (FRAME[["b", "a"]], "order"), (FRAME.rename(columns={"b": "c"}), "names"),
    (FRAME.assign(b="text"), "row 1, column 'b': 'text' is not a number"), (FRAME.iloc[:0], "no rows"),
    (FRAME.assign(b=np.inf), "infinite")])
def test_rows_to_predict(fitted, X, message):
    with pytest.raises(ValueError, match=message):
        fitted.predict(X)


def test_rows_of_a_file(fitted):
    predictive = mbnn.load(fitted.fit_.path).predictive
    for wrong, message in [(FRAME[["a"]], "lacks 1 of the columns of the training table: b"), (X[0], "2D array"),
                           ({"a": [1.0], "b": [1.0, 2.0]}, "column 'a' has 1 rows, column 'b' has 2"),
                           ({"a": [[1.0]], "b": [1.0]}, "one value a row"), (3, "a scalar"), ({}, "no rows")]:
        with pytest.raises(ValueError, match=message):
            predictive.mean(wrong)
    with pytest.raises(FileNotFoundError):
        predictive.mean("nowhere.csv")
    with pytest.raises(ValueError, match="this is the fit of a regression"):
        predictive.probabilities(FRAME)
    with pytest.raises(ValueError, match="level = 2"):
        predictive.interval(FRAME, 2)
    other = MBNNRegressor(**TINY).fit(FRAME[["a"]], Y).fit_.predictive
    with pytest.raises(ValueError, match="read for another fit"):
        predictive.mean(other.rows(FRAME))


def test_paths(fitted, tmp_path):
    path = fitted.fit_.path
    with pytest.raises(FileNotFoundError, match="nowhere.mbnn"):
        mbnn.load(tmp_path / "nowhere.mbnn")
    with pytest.raises(FileNotFoundError, match="nowhere.csv"):
        mbnn.fit(tmp_path / "nowhere.csv", tmp_path / "f.mbnn", target="y")
    with pytest.raises(FileExistsError):
        MBNNRegressor(**TINY).fit(X, Y, path=path)
    with pytest.raises(FileExistsError):
        fitted.save(path)
    with pytest.raises(ValueError, match="directory"):
        MBNNRegressor(**TINY).fit(X, Y, path=tmp_path / "none" / "f.mbnn")
    MBNNRegressor(**TINY).fit(X, Y, path=tmp_path / "f.mbnn")
    MBNNRegressor(**TINY).fit(X, Y, path=tmp_path / "f.mbnn", overwrite=True)


@pytest.mark.parametrize("content, error, message", [
    (b"", ValueError, "not an mbnn fit"), (b"text", ValueError, "not an mbnn fit"),
    (b"SQLite format 3\0" + bytes(200), (ValueError, mbnn.Error), "foreign.mbnn")])
def test_foreign_files(tmp_path, content, error, message):
    path = tmp_path / "foreign.mbnn"
    path.write_bytes(content)
    with pytest.raises(error, match=message):
        mbnn.load(path)


def test_damaged_files(fitted, tmp_path):
    with pytest.raises(ValueError, match="directory"):
        mbnn.load(tmp_path)
    with sqlite3.connect(tmp_path / "other.mbnn") as other:
        other.execute("create table t (x)")
    with pytest.raises(ValueError, match="not an mbnn fit"):
        mbnn.load(tmp_path / "other.mbnn")
    fitted.save(tmp_path / "cut.mbnn")
    whole = (tmp_path / "cut.mbnn").read_bytes()
    (tmp_path / "cut.mbnn").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(mbnn.Error, match="cut.mbnn"):
        mbnn.load(tmp_path / "cut.mbnn").predictive.mean(FRAME)
    state = pickle.dumps(fitted.fit_).replace(b"SQLite format 3", b"Another format ")
    with pytest.raises(ValueError, match="not an mbnn fit"):
        pickle.loads(state)


def test_more_draws_than_there_can_be(fitted):
    with pytest.raises(ValueError, match="draws = -1"):
        fitted.resume(draws=-1)
    model = MBNNClassifier(method="logistic").fit(X, Y > 0)
    with pytest.raises(ValueError, match="one draw"):
        model.resume(draws=3)

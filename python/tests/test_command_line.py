"""A fit from Python is the fit of the command line: the same table and options give the same bits, and each opens
what the other has written."""
import csv
import sqlite3

import numpy as np
import pandas as pd
import pytest

import mbnn
from conftest import TINY, words_of
from mbnn import MBNNClassifier, MBNNRegressor

pytestmark = pytest.mark.filterwarnings("ignore::mbnn.ConvergenceWarning")


def draws_of(path):
    """All that the chains have stored, as bytes."""
    with sqlite3.connect(path) as database:
        rows = database.execute("select chain, iteration, state, scalars from draw order by chain, iteration")
        return rows.fetchall()


@pytest.fixture
def table(houses, tmp_path):
    houses.to_csv(tmp_path / "houses.csv", index=False)
    return tmp_path / "houses.csv"


@pytest.fixture
def made(program, table, tmp_path):
    """The fit of the command line, where `zone` is said to be a category as the frame's type says."""
    program("fit", table, "--target", "price", "--categorical", "zone", *words_of(TINY), "--out", tmp_path / "c.mbnn")
    return tmp_path / "c.mbnn"


def test_a_file_gives_the_same_bits(made, table, tmp_path):
    mbnn.fit(table, tmp_path / "p.mbnn", target="price", categorical="zone", **TINY)
    assert draws_of(tmp_path / "p.mbnn") == draws_of(made)


def test_a_frame_gives_the_same_bits(made, houses, tmp_path):
    mbnn.fit(houses, tmp_path / "p.mbnn", target="price", threads=1, **TINY)
    assert draws_of(tmp_path / "p.mbnn") == draws_of(made)


def test_an_estimator_gives_the_same_bits(made, houses, tmp_path):
    X, y = houses.drop(columns="price"), houses["price"]
    model = MBNNRegressor(**TINY).fit(X, y, path=tmp_path / "p.mbnn")
    assert draws_of(model.fit_.path) == draws_of(made)


def test_predictions_are_those_of_the_command_line(program, made, houses, table, tmp_path):
    program("predict", made, table, "--interval", "0.8", "--out", tmp_path / "p.csv")
    told = pd.read_csv(tmp_path / "p.csv")
    predictive = mbnn.load(made).predictive
    for rows in (houses, table, {name: houses[name] for name in houses}):
        mean, sd = predictive.mean_and_sd(rows)
        assert np.allclose(mean, told["mean"], rtol=1e-8)  # nine digits are printed
        assert np.allclose(sd, told["sd"], rtol=1e-8)
        assert np.allclose(predictive.interval(rows, 0.8), told[["lower", "upper"]], rtol=1e-8)


def test_an_estimator_is_made_of_any_fit(program, made, houses, tmp_path):
    model = MBNNRegressor.from_file(made)
    assert {name: value for name, value in model.get_params().items() if value is not None and name in TINY} == {
        **TINY, "hidden": "20,20"}
    X = houses.drop(columns="price")
    again = MBNNRegressor(**model.get_params()).set_params(categorical=None).fit(X, houses["price"])
    assert np.array_equal(again.predict(X), model.predict(X[reversed(X.columns)].assign(more=1)))
    with pytest.raises(ValueError, match="is the fit of a regression: MBNNClassifier is for classification"):
        MBNNClassifier.from_file(made)


def test_classes_too(program, houses, tmp_path):
    houses.to_csv(tmp_path / "houses.csv", index=False)
    program("fit", tmp_path / "houses.csv", "--target", "zone", "--task", "classification", "--seed", 4,
            *words_of(TINY), "--out", tmp_path / "c.mbnn")
    X = houses.drop(columns="zone")
    model = MBNNClassifier(**TINY, random_state=4).fit(X, houses["zone"].astype(int))
    model.save(tmp_path / "p.mbnn")
    assert draws_of(tmp_path / "p.mbnn") == draws_of(tmp_path / "c.mbnn")
    program("predict", tmp_path / "p.mbnn", tmp_path / "houses.csv", "--out", tmp_path / "p.csv")
    with open(tmp_path / "p.csv") as file:
        rows = list(csv.DictReader(file))
    loaded = MBNNClassifier.from_file(tmp_path / "c.mbnn")
    assert loaded.random_state == 4
    for estimator in (model, loaded):
        assert list(estimator.classes_) == [1, 2, 3]
        assert [str(c) for c in estimator.predict(X)] == [row["class"] for row in rows]
        assert np.allclose(estimator.predict_proba(X)[:, 2], [float(row["p_3"]) for row in rows], rtol=1e-8)


def test_the_command_line_goes_on_and_judges(program, houses, tmp_path):
    X, y = houses.drop(columns="price"), houses["price"]
    model = MBNNRegressor(**TINY).fit(X, y, path=tmp_path / "p.mbnn")
    program("resume", tmp_path / "p.mbnn", "--draws", 10)
    assert mbnn.load(tmp_path / "p.mbnn").summary()["draws"] == 60
    model.save(tmp_path / "copy.mbnn")
    model.resume(draws=0)
    assert model.n_draws_ == 60


@pytest.mark.parametrize("kind", ["series", "image"])
def test_other_kinds_are_opened(kind, program, tmp_path):
    rng = np.random.default_rng(2)
    if kind == "series":
        days = pd.DataFrame({"day": pd.date_range("2023-01-01", periods=60), "x": rng.normal(size=60)})
        days["visits"] = 10 + days["x"] + rng.normal(size=60)
        days.to_csv(tmp_path / "days.csv", index=False)
        program("series", "fit", tmp_path / "days.csv", "--target", "visits", "--date", "day", "--chains", 2,
                "--warmup", 30, "--draws", 30, "--out", tmp_path / "f.mbnn")
    else:
        write_images(tmp_path / "images", rng)
        program("image", "fit", "--data", tmp_path / "images", "--base-width", 2, "--epochs", 5, "--out",
                tmp_path / "f.mbnn")
    fit = mbnn.load(tmp_path / "f.mbnn")
    assert fit.kind == kind
    assert fit.summary()["finished"] and fit.summary()["draws"] >= 1
    assert isinstance(fit.diagnose()["trustworthy"], bool)
    assert dict(fit.to_xarray().sizes) == {"chain": fit.summary()["chains"],
                                           "draw": fit.summary()["draws"] // fit.summary()["chains"]}
    with pytest.raises(ValueError, match=f"is a fit of the kind '{kind}'"):
        fit.predictive


def write_images(directory, rng):
    """IDX files as MNIST has them."""
    directory.mkdir()
    for name, n in (("train", 200), ("t10k", 20)):
        labels = np.arange(n, dtype=np.uint8) % 10
        pixels = (rng.random((n, 28, 28)) * 100 + labels[:, None, None] * 15).astype(np.uint8)
        (directory / f"{name}-images-idx3-ubyte").write_bytes(
            b"".join(int(k).to_bytes(4, "big") for k in (2051, n, 28, 28)) + pixels.tobytes())
        (directory / f"{name}-labels-idx1-ubyte").write_bytes(
            b"".join(int(k).to_bytes(4, "big") for k in (2049, n)) + labels.tobytes())

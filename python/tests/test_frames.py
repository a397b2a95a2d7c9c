"""Columns of all types are read as the command line reads a file with the same cells."""
import datetime

import numpy as np
import pandas as pd
import pytest

import mbnn
from conftest import TINY
from mbnn import MBNNRegressor
from mbnn._columns import column_of, columns_of

pytestmark = pytest.mark.filterwarnings("ignore::mbnn.ConvergenceWarning")


def same(column, name, *content):
    assert column[0] == name and len(column) == len(content) + 1
    for ours, expected in zip(column[1:], content):
        assert np.array_equal(np.asarray(ours), np.asarray(expected), equal_nan=np.asarray(expected).dtype.kind == "f")


@pytest.mark.parametrize("values, content", [
    (pd.Series([1, 2, 3], dtype="int8"), ([1.0, 2.0, 3.0],)),
    (pd.Series([1, None, 3], dtype="Int64"), ([1.0, np.nan, 3.0],)),
    (pd.Series([1.5, None], dtype="Float32"), ([1.5, np.nan],)),
    (pd.Series([True, False, True]), (["True", "False"], [0, 1, 0], False)),
    (pd.Series([True, None], dtype="boolean"), (["True"], [0, -1], False)),
    (pd.Series(["a", None, "b", "a"]), (["a", "b"], [0, -1, 1, 0], False)),
    (pd.Series(["a", pd.NA], dtype="string"), (["a"], [0, -1], False)),
    (pd.Series([1, "x", 2.5, np.nan], dtype=object), (["1", "x", "2.5"], [0, 1, 2, -1], False)),
    (pd.Series(["b", "a", None], dtype=pd.CategoricalDtype(["b", "a", "c"])), (["b", "a", "c"], [0, 1, -1], True)),
    (pd.Series([2, 1], dtype=pd.CategoricalDtype([1, 2])), (["1", "2"], [1, 0], True)),
    (pd.Series(pd.to_datetime(["2023-01-31", None])), (["2023-01-31"], [0, -1], False)),
    (pd.Series([datetime.date(2023, 1, 31)]), (["2023-01-31"], [0], False)),
    (np.array(["2023-01-31", "NaT"], "datetime64[D]"), (["2023-01-31"], [0, -1], False)),
    (np.array([True, False]), (["True", "False"], [0, 1], False)),
    ([1, 2], ([1.0, 2.0],)),
    (["a", "b"], (["a", "b"], [0, 1], False))])
def test_columns(values, content):
    same(column_of("x", values), "x", *content)


def test_names():
    frame = pd.DataFrame([[1, 2]])
    assert [c[0] for c in columns_of(frame)] == ["x1", "x2"]
    assert [c[0] for c in columns_of(frame.rename(columns={0: "a", 1: "b"}))] == ["a", "b"]
    assert [c[0] for c in columns_of(np.ones((2, 3)))] == ["x1", "x2", "x3"]


def test_cells_that_are_missing_or_unseen(houses):
    X, y = houses.drop(columns="price"), houses["price"]
    model = MBNNRegressor(**TINY).fit(X, y)
    assert any("'built': 14 of 120 cells are missing" in note for note in model.notes_)
    assert list(model.feature_names_in_) == list(X.columns) and model.n_features_in_ == 6
    odd = X.assign(town="West", area=np.nan)
    with pytest.warns(UserWarning) as caught:
        assert np.isfinite(model.predict(odd)).all()
    assert {str(w.message)[:14] for w in caught} == {"column 'area':", "column 'town':"}
    # rows stand for themselves, whatever the categories of a frame that holds a part of them
    part = X.iloc[10:20].assign(zone=X["zone"].iloc[10:20].cat.remove_unused_categories())
    assert np.array_equal(model.predict(part), model.predict(X)[10:20])


def test_columns_can_be_left_out_or_be_categories(houses):
    X, y = houses[["area", "rooms", "garden"]], houses["price"]
    model = MBNNRegressor(**TINY, ignore=["garden"], categorical="rooms").fit(X, y)
    inputs = model.fit_.summary()["encoding"]["columns"]
    assert {(column["name"], column["kind"]) for column in inputs} == {("area", "numeric"), ("rooms", "categorical")}
    with pytest.raises(ValueError, match="did you mean 'rooms'"):
        MBNNRegressor(**TINY, ignore="roms").fit(X, y)


def test_missing_cells_can_be_refused(houses):
    X, y = houses[["area", "built"]], houses["price"]
    with pytest.raises(ValueError, match="row 1, column 'built': the cell is missing"):
        MBNNRegressor(**TINY, missing="error").fit(X, y)


def test_the_traces_are_a_dataset(houses):
    model = MBNNRegressor(**TINY).fit(houses[["area"]], houses["price"])
    traces = model.to_xarray()
    assert dict(traces.sizes) == {"chain": 2, "draw": 20}
    assert {"noise_sd", "width_1", "width_2"} <= set(traces)
    # the noise is in units of the target
    assert np.isclose(float(traces["noise_sd"].mean()), model.fit_.summary()["noise_sd"], rtol=0.05)
    assert mbnn.load(model.fit_.path).predictive.chain_draws == [20, 20]

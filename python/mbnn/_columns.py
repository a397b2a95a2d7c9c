"""Arrays and frames become columns: numbers, or texts with the row's place in them, as a file would hold them."""
from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

Column = tuple  # (name, numbers) or (name, texts, places, whether they are categories)


def is_frame(table: Any) -> bool:
    return hasattr(table, "columns") and hasattr(table, "dtypes") and hasattr(table, "iloc")


def names_of(width: int) -> list[str]:
    """Of columns without names: as the command line has it for a file without a header."""
    return [f"x{i + 1}" for i in range(width)]


def columns_of(table: Any, names: list[str] | None = None) -> list[Column]:
    """The columns of a DataFrame, of a mapping from names, or of an array with a row for each row."""
    if is_frame(table):
        width = table.shape[1]
        if names is None:
            names = list(table.columns)
            names = names if all(isinstance(name, str) for name in names) else names_of(width)
        return [column_of(name, table.iloc[:, i]) for i, name in enumerate(names)]
    if isinstance(table, Mapping):
        return [column_of(str(name), values) for name, values in table.items()]
    array = np.asarray(table)
    if array.ndim != 2:
        raise ValueError(f"expected a DataFrame, a mapping of columns or a 2D array, got {_shape(array)}")
    return [column_of(name, array[:, i]) for i, name in enumerate(names or names_of(array.shape[1]))]


def column_of(name: str, values: Any) -> Column:
    kind = getattr(getattr(values, "dtype", None), "name", "")
    if kind == "category":
        return _column_of_categories(name, values)
    if hasattr(values, "isna") and hasattr(values, "to_numpy"):  # a Series; its own types know missing cells
        missing = values.isna().to_numpy()
        if str(kind).startswith("datetime64"):
            return _column_of_texts(name, values.astype(str), missing)
        if getattr(values.dtype, "kind", "O") in "iuf":
            return name, values.to_numpy(dtype=np.float64, na_value=np.nan)
        values = values.to_numpy()
    else:
        values = np.asarray(values)
        missing = np.zeros(values.shape, bool)
    if values.ndim != 1:
        raise ValueError(f"column '{name}': expected one value a row, got {_shape(values)}")
    if values.dtype.kind in "iuf":
        return name, values.astype(np.float64)
    if values.dtype.kind == "M":
        missing, values = np.isnat(values), np.datetime_as_string(values)
    if values.dtype.kind == "c":
        raise ValueError(f"column '{name}': complex numbers are not supported")
    return _column_of_texts(name, values, missing)


def _column_of_categories(name: str, values: Any) -> Column:
    values = getattr(values, "cat", values)
    return name, [_text_of(name, text) for text in values.categories], np.asarray(values.codes, np.int64), True


def _column_of_texts(name: str, values: Iterable[Any], missing: np.ndarray) -> Column:
    places: dict[str, int] = {}
    rows = np.full(len(missing), -1, np.int64)
    for row, value in enumerate(values):
        if missing[row] or value is None or (isinstance(value, float) and value != value):
            continue
        rows[row] = places.setdefault(_text_of(name, value), len(places))
    return name, list(places), rows, False


def _text_of(name: str, value: Any) -> str:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"column '{name}': {value!r} is not text that can be written as UTF-8") from None
        return value
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, bytes) or isinstance(value, (Mapping, Iterable)):
        raise ValueError(f"column '{name}': {value!r} is no cell of a table; expected a number, a text or a date")
    return str(value)


def _shape(array: np.ndarray) -> str:
    return "a scalar" if array.ndim == 0 else f"an array of shape {array.shape}"

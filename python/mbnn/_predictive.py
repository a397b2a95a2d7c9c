"""Predictions by the draws of a table's fit."""
from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from . import _core
from ._arguments import thread_count
from ._columns import Column, columns_of
from ._distribution import Floats, PredictiveDistribution, bounds_of
from ._paths import existing
from ._warnings import warn


class Predictive:
    """The predictive law of new rows by all draws of a table's fit.

    Rows are a DataFrame or a mapping of columns, whose names are those of the training table, or the path of a file.
    """

    def __init__(self, path: str, threads: int | None = None):
        self._core = _core.TablePredictive(path)
        encoding = json.loads(self._core.encoding)
        self.threads = thread_count(threads)
        self.task: str = encoding["task"]
        self.labels: list[str] = encoding["labels"]
        self.columns: list[str] = [column["name"] for column in encoding["columns"]]

    def rows(self, table: Any) -> _core.Rows:
        """Rows as the networks see them; taken by the other functions, too."""
        if isinstance(table, _core.Rows):
            return table
        if isinstance(table, (str, os.PathLike)):
            return _told(self._core.read_rows(existing(table, "table")))
        return self.rows_of(columns_of(table), "the table")

    def rows_of(self, columns: list[Column], name: str) -> _core.Rows:
        return _told(self._core.rows_of(columns, name))

    def mean(self, table: Any) -> Floats:
        return self._ask(table, [("mean", 0)])[:, 0]

    def sd(self, table: Any) -> Floats:
        return self._ask(table, [("std", 0)])[:, 0]

    def mean_and_sd(self, table: Any) -> tuple[Floats, Floats]:
        answers = self._ask(table, [("mean", 0), ("std", 0)])
        return answers[:, 0], answers[:, 1]

    def quantiles(self, table: Any, q: Any) -> Floats:
        """(rows,) at one level, (rows, levels) at several."""
        levels = np.asarray(q, np.float64)
        if levels.ndim > 1:
            raise ValueError(f"q: expected one level or a list of them, got shape {levels.shape}")
        answers = self._ask(table, [("ppf", level) for level in np.atleast_1d(levels)])
        return answers[:, 0] if levels.ndim == 0 else answers

    def interval(self, table: Any, level: float = 0.95) -> Floats:
        """Bounds (rows, 2) of the central interval."""
        return self.quantiles(table, bounds_of(level))

    def mixture(self, table: Any) -> PredictiveDistribution:
        self._require("regression")
        return PredictiveDistribution(*self._core.mixture(self.rows(table), self.threads), self.threads)

    def probabilities(self, table: Any) -> Floats:
        """(rows, classes), in the order of `labels`."""
        self._require("classification")
        return _finite(self._core.probabilities(self.rows(table), self.threads))

    def draws(self, table: Any) -> Floats:
        """What each draw says, chain after chain: means (draws, rows), or probabilities (draws, rows, classes)."""
        if self.task == "classification":
            return self._core.class_draws(self.rows(table))
        return self.mixture(table).means.T

    @property
    def chain_draws(self) -> list[int]:
        """How many draws each chain has."""
        return self._core.chain_draws

    def _ask(self, table: Any, questions: list[tuple[str, float]]) -> Floats:
        self._require("regression")
        return _finite(self._core.ask(self.rows(table), questions, self.threads))

    def _require(self, task: str) -> None:
        if self.task != task:
            raise ValueError(f"this is the fit of a {self.task}: only that of a {task} answers this")


def _told(rows: _core.Rows) -> _core.Rows:
    for note in rows.notes:
        warn(note, UserWarning)
    return rows


def _finite(answers: Floats) -> Floats:
    bad = ~np.isfinite(answers).all(axis=1)
    if bad.any():
        raise ValueError(f"row {bad.argmax() + 1}: the networks give no finite number there; are its inputs far "
                         "outside those of the training rows?")
    return answers

"""MBNNRegressor and MBNNClassifier: estimators as scikit-learn has them, with the law of each prediction."""
from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_array, check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._arguments import argument_of, given, thread_count, value_of
from ._columns import Column, column_of, columns_of, is_frame
from ._compatibility import check_columns, validated
from ._distribution import Floats, PredictiveDistribution, generator_of
from ._fit import Fit, complain, load, run
from ._parameters import DOCUMENT, OPTIONS, Parameters
from ._predictive import Predictive

if TYPE_CHECKING:
    import xarray

Estimator = TypeVar("Estimator", bound="_Estimator")

_DOCUMENT = """{intro}

Arguments are the options of the command line, which the library checks; None stands for the default, which is given
in brackets. A DataFrame keeps its names: columns of texts, of booleans and of the type category are categories. Missing
cells are allowed: the mean stands in for them, beside an input that says where.

Parameters
----------
{parameters}
Attributes
----------
fit_ : Fit
    The fit file: summary, traces, save and more.
diagnosis_ : dict or None
    Whether to believe the fit: trustworthy, findings, convergence. None as long as there are no draws.
notes_ : list of str
    What was said about columns.
n_draws_ : int
    Draws of all chains.
interrupted_ : bool
    Whether the fit was ended by Ctrl-C. resume() goes on.
n_features_in_, feature_names_in_
    Number of columns of X, and their names if X was a DataFrame.
{attributes}"""


class _Estimator(Parameters, BaseEstimator):
    _task: str

    def fit(self: Estimator, X: Any, y: Any, *, path: str | os.PathLike[str] | None = None,
            overwrite: bool = False) -> Estimator:
        """Fits rows X (a DataFrame, or an array of numbers) to targets y.

        `path` is the fit file to write: safe in a crash, and readable by the command line. Without it there is a
        temporary one, and save() gives it a name.

        Ctrl-C ends the fit: the draws so far can be used, and resume() goes on. Before the first draw it raises
        KeyboardInterrupt.
        """
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        columns = self._columns_of(X, reset=True)
        target = _target_name(y, {column[0] for column in columns})
        column = self._target_column(target, y)
        check_consistent_length(X, y)
        options = {name: getattr(self, name) for name in OPTIONS}
        options.update(task=self._task, target=target, seed=self._seed())
        problem = _core.TableProblem.of_columns(given(options), [*columns, column], "X")
        self._match_labels(problem.labels)
        return self._take(run(problem, path, overwrite, self.n_jobs, self.verbose), by_name=False)

    def resume(self: Estimator, draws: int = 0) -> Estimator:
        """Goes on with an interrupted fit, to the same bits; `draws` are further ones of each chain."""
        check_is_fitted(self)
        self.fit_._go_on(draws, self.n_jobs, self.verbose)
        return self._take(self.fit_, self._by_name)

    @classmethod
    def from_file(cls: type[Estimator], path: str | os.PathLike[str]) -> Estimator:
        """The estimator of a fit file, such as the command line writes. X are DataFrames with the table's columns."""
        made = load(path)
        summary = made.summary()
        encoding = summary.get("encoding", {})
        if summary["kind"] != "table" or encoding["task"] != cls._task:
            what = summary["kind"] if summary["kind"] != "table" else encoding["task"]
            raise ValueError(f"{made.path} is the fit of a {what}: {cls.__name__} is for {cls._task}")
        told = {argument_of(option): text for option, text in _core.given_for(json.dumps(summary["configuration"]))}
        self = cls(**{name: value_of(name, text) for name, text in told.items() if name in OPTIONS},
                   random_state=int(told["seed"]) if "seed" in told else None)
        self.feature_names_in_ = np.array([column["name"] for column in encoding["columns"]], object)
        self.n_features_in_ = len(self.feature_names_in_)
        self._take_labels(encoding)
        return self._take(made, by_name=True)

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes the fit file, which the command line and mbnn.load open, too."""
        check_is_fitted(self)
        self.fit_.save(path, overwrite)

    def predict_draws(self, X: Any) -> Floats:
        """What each draw says, chain after chain: means (draws, rows), or probabilities (draws, rows, classes)."""
        rows = self._rows(X)
        return self._by_class(self._predictive.draws(rows))

    def to_xarray(self) -> xarray.Dataset:
        """The numbers kept with each draw, such as noise and widths, with dimensions chain and draw."""
        check_is_fitted(self)
        return self.fit_.to_xarray()

    # What follows is between scikit-learn and the file.

    @property
    def _predictive(self) -> Predictive:
        predictive = self.fit_.predictive
        predictive.threads = thread_count(self.n_jobs)
        return predictive

    def _take(self: Estimator, made: Fit, by_name: bool) -> Estimator:
        """`by_name`: columns are known by their names alone, and not by a DataFrame that the fit was made of."""
        self.fit_, self._by_name = made, by_name
        summary, self.diagnosis_ = made._state()
        self.notes_: list[str] = summary["notes"]
        self.n_draws_: int = summary["draws"]
        self.interrupted_: bool = not summary["finished"]
        complain(made, summary, self.diagnosis_)
        return self

    def _seed(self) -> int | None:
        if isinstance(self.random_state, (int, np.integer)) and self.random_state < 0:
            raise ValueError(f"random_state = {self.random_state}: must not be negative")
        if self.random_state is None or isinstance(self.random_state, (int, np.integer)):
            return self.random_state
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _columns_of(self, X: Any, reset: bool) -> list[Column]:
        if is_frame(X):
            names = None if reset or not self._by_name else list(self.feature_names_in_)
            if names and set(names) <= set(X.columns):
                X = X[names]
            check_columns(self, X, reset)
            return columns_of(X)
        names = None if reset else getattr(self, "feature_names_in_", None)
        return columns_of(validated(self, X, reset), None if names is None else list(names))

    def _rows(self, X: Any) -> _core.Rows:
        check_is_fitted(self)
        if not self.n_draws_:
            raise ValueError("the fit was interrupted before its first draw: resume() goes on")
        return self._predictive.rows_of(self._columns_of(X, reset=False), "X")

    def _target_column(self, name: str, y: Any) -> Column:
        raise NotImplementedError

    def _match_labels(self, labels: list[str]) -> None:
        pass

    def _take_labels(self, encoding: dict[str, Any]) -> None:
        pass

    def _by_class(self, answers: Floats) -> Floats:
        return answers

    def __sklearn_is_fitted__(self) -> bool:  # parameters may end in an underscore, too
        return hasattr(self, "fit_")

    def _more_tags(self) -> dict[str, Any]:
        return {"allow_nan": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class MBNNRegressor(RegressorMixin, _Estimator):
    _task = "regression"

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Predictive means and, if asked for, predictive standard deviations."""
        rows = self._rows(X)
        return self._predictive.mean_and_sd(rows) if return_std else self._predictive.mean(rows)

    def predict_interval(self, X: Any, level: float = 0.95) -> Floats:
        """Bounds (rows, 2) between which a new target lies with this probability."""
        rows = self._rows(X)
        return self._predictive.interval(rows, level)

    def predict_quantiles(self, X: Any, q: ArrayLike) -> Floats:
        """Quantiles of a new target: (rows,) at one level, (rows, levels) at several."""
        rows = self._rows(X)
        return self._predictive.quantiles(rows, q)

    def predict_dist(self, X: Any) -> PredictiveDistribution:
        """The law of new targets, exactly: mean, std, ppf, cdf, logpdf, crps, interval, sample."""
        rows = self._rows(X)
        return self._predictive.mixture(rows)

    def sample_predictive(self, X: Any, n: int = 1, random_state: Any = None) -> Floats:
        """Draws (rows, n) of new targets. Those of one column are of one network: sums over rows are right, too."""
        return self.predict_dist(X).sample(n, random_state)

    def _target_column(self, name: str, y: Any) -> Column:
        values = column_or_1d(y, warn=True)
        return name, check_array(values, ensure_2d=False, dtype=np.float64, input_name="y")


class MBNNClassifier(ClassifierMixin, _Estimator):
    _task = "classification"

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities (rows, classes), in the order of `classes_`."""
        rows = self._rows(X)
        return self._by_class(self._predictive.probabilities(rows))

    def sample_predictive(self, X: Any, n: int = 1, random_state: Any = None) -> NDArray[Any]:
        """Draws (rows, n) of new classes. Those of one column are of one network: counts over rows are right, too."""
        rng = generator_of(random_state)
        draws = self.predict_draws(X)
        chosen = draws[rng.choice(len(draws), size=n)].cumsum(axis=2)  # (n, rows, classes)
        uniform = rng.uniform(size=chosen.shape[:2])[:, :, None] * chosen[:, :, -1:]
        return self.classes_[(uniform >= chosen[:, :, :-1]).sum(axis=2)].T

    def _target_column(self, name: str, y: Any) -> Column:
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, places = np.unique(y, return_inverse=True)
        if self.classes_.dtype.kind in "iuf":
            return name, self.classes_[places].astype(np.float64)
        _, texts, codes, _ = column_of(name, self.classes_)
        return name, texts, np.asarray(codes, np.int64)[places], True

    def _match_labels(self, labels: list[str]) -> None:
        """Where the library has each class: its order is by value if all labels are numbers."""
        numeric = self.classes_.dtype.kind in "iuf"
        place_of = {float(label) if numeric else label: place for place, label in enumerate(labels)}
        keys = self.classes_.astype(float) if numeric else [str(c).strip(" \t") for c in self.classes_]
        places = [place_of.get(key, -1) for key in keys]
        if -1 in places or len(set(places)) < len(places):
            wrong = next(c for c, place in zip(self.classes_, places) if place < 0 or places.count(place) > 1)
            raise ValueError(f"y: the class {wrong!r} stands for a missing label, or is spelled like another one")
        self._places = np.array(places)

    def _take_labels(self, encoding: dict[str, Any]) -> None:
        labels = encoding["labels"]
        if encoding["target"]["kind"] == "numeric":
            numbers = np.array([float(label) for label in labels])
            self.classes_ = numbers.astype(int) if (numbers == numbers.round()).all() else numbers
        else:
            self.classes_ = np.array(sorted(labels))
        self._match_labels(labels)

    def _by_class(self, answers: Floats) -> Floats:
        return answers[..., self._places]


def _target_name(y: Any, taken: set[str]) -> str:
    name = getattr(y, "name", None)
    name = name if isinstance(name, str) and name else "y"
    while name in taken:
        name += "_"
    return name


MBNNRegressor.__doc__ = _DOCUMENT.format(
    intro="Regression by masked Bayesian neural networks, which learn how wide they should be.", parameters=DOCUMENT,
    attributes="")
MBNNClassifier.__doc__ = _DOCUMENT.format(
    intro="Classification by masked Bayesian neural networks, which learn how wide they should be.",
    parameters=DOCUMENT, attributes="classes_ : array\n    The classes, sorted.\n")

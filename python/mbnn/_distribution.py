"""What a fit says of each row: an exact mixture of normals."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arguments import thread_count

Floats = NDArray[np.float64]


def generator_of(random_state: Any) -> Any:
    """numpy's generator for None, a seed, a Generator or a RandomState."""
    if isinstance(random_state, (np.random.Generator, np.random.RandomState)):
        return random_state
    return np.random.default_rng(random_state)


class PredictiveDistribution:
    """The predictive law of each row: a mixture of the normals of all draws, without any approximation.

    Parameters
    ----------
    means : array (rows, draws)
        What each draw says of each row.
    sds : array (parts, draws)
        Noise of each draw. The second part, if there is one, is that of rows unlike those of the training.
    weights : array (parts, draws)
        Probabilities, which sum to 1.
    threads : int, optional
        Threads to use; all cores if it is None.

    A distribution can be indexed by rows: ``dist[3:5]``.
    """

    def __init__(self, means: ArrayLike, sds: ArrayLike, weights: ArrayLike | None = None,
                 threads: int | None = None):
        self.means: Floats = np.atleast_2d(np.asarray(means, np.float64))
        self.sds: Floats = np.atleast_2d(np.asarray(sds, np.float64))
        shape = self.sds.shape
        self.weights: Floats = (np.full(shape, 1 / self.sds.size) if weights is None or np.size(weights) == 0
                                else np.atleast_2d(np.asarray(weights, np.float64)))
        if self.means.ndim != 2 or len(shape) != 2 or self.means.shape[1] != shape[1] or self.weights.shape != shape:
            raise ValueError(f"expected means (rows, draws), sds and weights (parts, draws); got {self.means.shape}, "
                             f"{shape} and {self.weights.shape}")
        self._threads = thread_count(threads)

    def __len__(self) -> int:
        return len(self.means)

    def __getitem__(self, rows: Any) -> PredictiveDistribution:
        return PredictiveDistribution(self.means[np.atleast_1d(np.arange(len(self))[rows])], self.sds, self.weights,
                                      self._threads)

    def __repr__(self) -> str:
        return f"<PredictiveDistribution of {len(self)} rows, {self.means.shape[1]} draws>"

    def _ask(self, question: str, points: ArrayLike) -> Floats:
        """Points: one for all, one a row, or several a row."""
        points = np.asarray(points, np.float64)
        several = points.ndim == 2
        if points.ndim > 2 or (points.ndim > 0 and len(points) != len(self)):
            raise ValueError(f"expected one value, or one for each of {len(self)} rows; got shape {points.shape}")
        points = points if several else np.broadcast_to(points, len(self))[:, None]
        weights = self.weights if np.ptp(self.weights) > 0 else np.empty((0, 0))  # equal ones: summed without rounding
        answers = _core.ask(question, points, self.means, self.sds, weights, self._threads)
        return answers if several else answers[:, 0]

    def mean(self) -> Floats:
        return self._ask("mean", 0)

    def std(self) -> Floats:
        return self._ask("std", 0)

    def ppf(self, q: ArrayLike) -> Floats:
        """Quantiles: (rows,) at one level, (rows, levels) at several."""
        levels = np.asarray(q, np.float64)
        if levels.ndim > 1:
            raise ValueError(f"q: expected one level or a list of them, got shape {levels.shape}")
        return self._ask("ppf", levels if levels.ndim == 0 else np.broadcast_to(levels, (len(self), levels.size)))

    def cdf(self, y: ArrayLike) -> Floats:
        return self._ask("cdf", y)

    def logpdf(self, y: ArrayLike) -> Floats:
        return self._ask("logpdf", y)

    def crps(self, y: ArrayLike) -> Floats:
        """Continuous ranked probability score, in units of y: less is better."""
        return self._ask("crps", y)

    def interval(self, level: float = 0.95) -> Floats:
        """Bounds (rows, 2) of the central interval."""
        return self.ppf(bounds_of(level))

    def sample(self, n: int = 1, random_state: Any = None) -> Floats:
        """Draws (rows, n). Those of one column are of one network, so that sums over rows are of the right law, too."""
        rng = generator_of(random_state)
        parts, draws = self.sds.shape
        shares = self.weights.sum(axis=1)
        draw = rng.choice(draws, size=n, p=self.weights.sum(axis=0) / self.weights.sum())
        part = rng.choice(parts, size=(len(self), n), p=shares / shares.sum())
        return self.means[:, draw] + self.sds[part, draw] * rng.standard_normal((len(self), n))


def bounds_of(level: float) -> list[float]:
    if not 0 < level < 1:
        raise ValueError(f"level = {level}: must be between 0 and 1")
    return [(1 - level) / 2, 1 - (1 - level) / 2]

"""Masked Bayesian neural networks, which learn how wide they should be.

    from mbnn import MBNNRegressor
    model = MBNNRegressor().fit(X, y)
    model.predict_interval(X_new)

``fit`` and ``load`` work on fit files, which are those of the command line. See docs/python.md of the project.
"""
from __future__ import annotations

from ._core import Error, __version__
from ._distribution import PredictiveDistribution
from ._fit import Fit, fit, load
from ._predictive import Predictive
from ._warnings import ConvergenceWarning

__all__ = ["ConvergenceWarning", "Error", "Fit", "MBNNClassifier", "MBNNRegressor", "Predictive",
           "PredictiveDistribution", "fit", "load", "__version__"]


def __getattr__(name: str):  # estimators need scikit-learn; fits do not
    if name in ("MBNNClassifier", "MBNNRegressor"):
        from . import _estimators
        return getattr(_estimators, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))

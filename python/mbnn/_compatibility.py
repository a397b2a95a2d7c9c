"""What scikit-learn calls otherwise from version 1.6 on."""
from __future__ import annotations

from typing import Any

import numpy as np

try:
    from sklearn.utils.validation import _check_feature_names, _check_n_features, validate_data

    def validated(estimator: Any, X: Any, reset: bool) -> np.ndarray:
        return validate_data(estimator, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan",
                             ensure_min_samples=2 if reset else 1)

    def check_columns(estimator: Any, X: Any, reset: bool) -> None:
        _check_feature_names(estimator, X, reset=reset)
        _check_n_features(estimator, X, reset=reset)

except ImportError:

    def validated(estimator: Any, X: Any, reset: bool) -> np.ndarray:
        return estimator._validate_data(X, reset=reset, dtype=np.float64, force_all_finite="allow-nan",
                                         ensure_min_samples=2 if reset else 1)

    def check_columns(estimator: Any, X: Any, reset: bool) -> None:
        estimator._check_feature_names(X, reset=reset)
        estimator._check_n_features(X, reset=reset)

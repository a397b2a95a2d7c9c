"""The warning of a fit that is not to be trusted, or that was interrupted."""
from __future__ import annotations

import os
import sys
import warnings
from typing import Any

try:
    from sklearn.exceptions import ConvergenceWarning as _Base
except ImportError:  # estimators need scikit-learn; fits do not
    _Base = UserWarning


class ConvergenceWarning(_Base):
    """A fit is not to be trusted, or was interrupted: the message says why, what that means and what to try."""


def warn(message: str, category: type[Warning] = ConvergenceWarning) -> None:
    """Warns at the line that called the package."""
    package, frame, level = os.path.dirname(__file__), sys._getframe(), 1
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == package:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def warn_of(diagnosis: dict[str, Any]) -> None:
    """Warns of the first serious finding of a diagnosis, if there is one."""
    for finding in diagnosis["findings"]:
        if finding["level"] == "serious":
            return warn("{what}. It means: {meaning}. Try: {advice}.".format(**finding))


def warn_of_interruption(draws: int, wanted: int) -> None:
    warn(f"interrupted after {draws} of {wanted} draws, which can be used; resume() makes the others")

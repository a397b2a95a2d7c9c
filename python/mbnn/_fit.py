"""Fit files from Python: made, continued, opened, judged; and predictions by those of tables."""
from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arguments import given, thread_count
from ._columns import columns_of
from ._paths import existing, refuse_existing
from ._predictive import Predictive
from ._progress import Progress, reporter
from ._warnings import warn_of, warn_of_interruption

if TYPE_CHECKING:
    import xarray


def fit(data: Any, path: str | os.PathLike[str], *, target: str, overwrite: bool = False, threads: int | None = None,
        progress: Progress = None, **options: Any) -> Fit:
    """Fits a table and stores the fit at `path`, as ``mbnn fit`` does: the same options give the same bits.

    Parameters
    ----------
    data : str, path, DataFrame or mapping of columns
        A file to read, or a table in memory.
    path : str or path
        The fit file to write.
    target : str
        The column to predict.
    overwrite : bool
        Replace the file if it exists.
    threads : int, optional
        None: all cores. Results do not depend on it.
    progress : bool or callable, optional
        True: a bar. A function is called every now and then with the status of a chain: a dict with chain, phase,
        done, length, widths, figures, seconds_left. An exception in it ends the fit.
    **options
        Those of the command line, with underscores: ``chains=8, weight_prior="cauchy:0.3", ignore=["id"]``.

    Ctrl-C ends the fit with all that was done saved: the draws so far are returned with a warning; before there are
    any, KeyboardInterrupt is raised. ``load(path).resume()`` goes on either way.
    """
    told = given({"target": target, **options})
    if isinstance(data, (str, os.PathLike)):
        problem = _core.TableProblem.read([("data", existing(data, "table")), *told])
    else:
        problem = _core.TableProblem.of_columns(told, columns_of(data), "the table")
    made = run(problem, path, overwrite, threads, progress)
    complain(made, *made._state())
    return made


def load(path: str | os.PathLike[str]) -> Fit:
    """Opens a fit of any kind, whoever made it."""
    return Fit(existing(path, "fit file"))


def run(problem: _core.TableProblem, path: str | os.PathLike[str] | None, overwrite: bool, threads: int | None,
        progress: Progress) -> Fit:
    """The fit of a problem; without a path, in a temporary file. It may have no draws, if it was interrupted."""
    directory = tempfile.mkdtemp(prefix="mbnn-") if path is None else None
    place = os.path.join(directory, "fit.mbnn") if directory else os.fspath(path or "")
    try:
        if not overwrite:
            refuse_existing(place)
        with reporter(progress, problem.chains) as report:
            begun, _ = _core.fit(problem, place, overwrite, thread_count(threads), report)
        if not begun:
            raise KeyboardInterrupt("interrupted before the fit was begun; nothing was written")
        return Fit(place, directory)
    except BaseException:
        if directory:
            shutil.rmtree(directory, ignore_errors=True)
        raise


class Fit:
    """A fit file of any kind. Made by :func:`fit` and :func:`load`.

    A pickle of it holds the whole file, whose size goes with draws times weights.
    """

    def __init__(self, path: str, temporary: str | None = None):
        """`temporary` is a directory that goes when the fit does."""
        self._open(path, temporary)

    def _open(self, path: str, temporary: str | None) -> None:
        self._path = path
        self._predictive: Predictive | None = None
        if temporary:
            weakref.finalize(self, _remove, temporary, os.getpid())
        self._kind: str = _core.kind(path)  # says at once if this is no fit

    @property
    def path(self) -> str:
        return self._path

    @property
    def kind(self) -> str:
        """"table", "series" or "image"."""
        return self._kind

    def summary(self) -> dict[str, Any]:
        """What was learnt, and how the fit was made: draws, finished, learnt, configuration, encoding, notes, ..."""
        return json.loads(_core.summary(self._path))

    def diagnose(self) -> dict[str, Any]:
        """Whether to believe it: trustworthy, findings, convergence of predictions and traces, and more."""
        return json.loads(_core.diagnosis(self._path))

    def resume(self, draws: int = 0, *, threads: int | None = None, progress: Progress = None,
               images: str | os.PathLike[str] = "") -> Fit:
        """Goes on where the fit was stopped, to the same bits; `draws` are further ones of each chain."""
        self._go_on(draws, threads, progress, images)
        complain(self, *self._state())
        return self

    def _go_on(self, draws: int, threads: int | None, progress: Progress, images: str | os.PathLike[str] = "") -> None:
        """resume() without a word about how the fit is then."""
        if draws < 0:
            raise ValueError(f"draws = {draws}: must not be negative")
        number = 0 if self.kind == "image" and threads is None else thread_count(threads)  # 0: as before
        with reporter(progress, self.summary()["chains"]) as report:
            _core.resume(self._path, draws, number, report, os.fspath(images))
        self._predictive = None

    def _state(self) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Summary and, if there are draws, diagnosis."""
        summary = self.summary()
        return summary, self.diagnose() if summary["draws"] else None

    @property
    def predictive(self) -> Predictive:
        """Predictions by the draws of a table's fit, which are read once."""
        if self._predictive is None:
            self._predictive = Predictive(self._path)
        return self._predictive

    def traces(self) -> dict[str, list[list[float]]]:
        """The numbers kept with each draw, such as noise and widths: by name, then chain."""
        return dict(_core.traces(self._path))

    def to_xarray(self) -> xarray.Dataset:
        """The traces with dimensions chain and draw, as ArviZ has them. Chains are cut to the shortest of them."""
        import xarray
        traces = self.traces()
        shortest = min((len(chain) for chains in traces.values() for chain in chains), default=0)
        data = {name: (("chain", "draw"), np.array([chain[:shortest] for chain in chains]))
                for name, chains in traces.items()}
        chains = max((len(chains) for chains in traces.values()), default=0)
        return xarray.Dataset(data, coords={"chain": np.arange(chains), "draw": np.arange(shortest)},
                              attrs={"inference_library": "mbnn", "inference_library_version": _core.__version__})

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """A copy of the file, which is whole or not there."""
        path = os.fspath(path)
        if not overwrite:
            refuse_existing(path)
        handle, beside = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(path)), suffix=".tmp")
        os.close(handle)
        try:
            shutil.copyfile(self._path, beside)
            os.replace(beside, path)
        except BaseException:
            os.unlink(beside)
            raise

    def __repr__(self) -> str:
        return f"<mbnn.Fit {self._path}>"

    def __getstate__(self) -> dict[str, Any]:
        with open(self._path, "rb") as file:
            return {"file": file.read()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        directory = tempfile.mkdtemp(prefix="mbnn-")
        path = os.path.join(directory, "fit.mbnn")
        with open(path, "wb") as file:
            file.write(state["file"])
        self._open(path, directory)


def complain(fit: Fit, summary: dict[str, Any], diagnosis: dict[str, Any] | None) -> None:
    """KeyboardInterrupt for a fit without draws; a warning for one that is unfinished, or not to be trusted."""
    if diagnosis is None:
        raise KeyboardInterrupt(f"interrupted before the first draw; resume() of {fit.path} goes on")
    if summary["finished"]:
        warn_of(diagnosis)
    else:
        warn_of_interruption(summary["draws"], summary["chains"] * summary["configuration"]["chain"]["draws"])


def _remove(directory: str, process: int) -> None:
    if process == os.getpid():  # a forked child has a copy of the owner, not of the file
        shutil.rmtree(directory, ignore_errors=True)

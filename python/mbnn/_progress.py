"""Who is told how far a fit is: nobody, a bar, or a function of the caller's."""
from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union

Progress = Union[bool, int, Callable[[dict[str, Any]], Any], None]


@contextmanager
def reporter(progress: Progress, chains: int) -> Iterator[Callable[[dict[str, Any]], Any] | None]:
    """What the run calls with the status of a chain."""
    if callable(progress):
        yield progress
    elif not progress:
        yield None
    else:
        bar = _Bar(chains)
        try:
            yield bar
        finally:
            bar.close()


class _Bar:
    """One bar for all chains: tqdm's, which notebooks show as a widget, or a line now and then."""

    def __init__(self, chains: int):
        self._chains = chains
        self._done: dict[int, int] = {}
        self._bar: Any = None
        self._said = time.monotonic()

    def __call__(self, status: dict[str, Any]) -> None:
        self._done[status["chain"]] = status["done"]
        done, total = sum(self._done.values()), self._chains * status["length"]
        figures = [f"{name} {value:.4g}" for name, value in status["figures"].items()]
        if status["widths"]:
            figures.insert(0, f"widths {tuple(status['widths'])}")
        words = ", ".join([f"chain {status['chain'] + 1} {status['phase']}", *figures[:3]])
        try:
            from tqdm.auto import tqdm
        except ImportError:
            if time.monotonic() - self._said > 5:
                self._said = time.monotonic()
                print(f"{done}/{total}  {words}", file=sys.stderr)
            return
        if self._bar is None:
            self._bar = tqdm(total=total, initial=done, unit="it")
        self._bar.update(done - self._bar.n)
        self._bar.set_postfix_str(words, refresh=False)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()

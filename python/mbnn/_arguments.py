"""Keyword arguments are the options of the command line, with underscores: the library's declarations check them."""
from __future__ import annotations

import keyword
import numbers
import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from . import _core


def argument_of(option: str) -> str:
    """leapfrog-steps is leapfrog_steps; lambda, which Python keeps for itself, is lambda_."""
    name = option.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


TABLE_OPTIONS: dict[str, dict[str, Any]] = {argument_of(option["name"]): option for option in _core.table_options()}


def given(arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the library is told: names and texts, as a person would write them. None stands for the default."""
    options = []
    for name, value in arguments.items():
        if name not in TABLE_OPTIONS:
            near = get_close_matches(name, TABLE_OPTIONS, 1)
            raise TypeError(f"no argument {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        text = _text_of(name, value)
        if text is not None:
            options.append((TABLE_OPTIONS[name]["name"], text))
    return options


def value_of(name: str, text: str) -> Any:
    """The value of an argument that was told as this text."""
    kind = TABLE_OPTIONS[name]["kind"]
    if kind == "":
        return True
    if kind == "on|off":
        return text == "on"
    for number in (int, float) if kind.startswith(("N", "X")) and kind != "NAMES" else ():
        try:
            return number(text)
        except ValueError:
            pass
    return text


def _text_of(name: str, value: Any) -> str | None:
    option = TABLE_OPTIONS[name]
    truth = _is_bool(value)
    if value is None or (truth and option["kind"] == "" and not value):
        return None
    if option["kind"] == "":  # a flag
        if not truth:
            raise ValueError(f"{name} = {value!r}: expected True or False")
        return ""
    if truth and set(option["choices"]) == {"on", "off"}:
        return "on" if value else "off"
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
        items = [_word(name, item, quoted=True) for item in value]
        return None if not items and option["kind"] == "NAMES" else ",".join(items)
    return _word(name, value)


def _is_bool(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def _word(name: str, value: Any, quoted: bool = False) -> str:
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"' if quoted and ("," in value or '"' in value) else value
    if _is_bool(value):
        return str(bool(value))
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    raise ValueError(f"{name} = {value!r}: expected a number, a text or a list of them")


def thread_count(wanted: int | None) -> int:
    """None or -1: OMP_NUM_THREADS if it is set, as joblib does for its workers, else all cores that may be used."""
    if wanted is not None and wanted != -1:
        if isinstance(wanted, numbers.Integral) and 1 <= wanted <= 1024:
            return int(wanted)
        raise ValueError(f"number of threads = {wanted!r}: expected 1 to 1024, or None for all cores")
    try:
        return max(1, int(os.environ["OMP_NUM_THREADS"]))
    except (KeyError, ValueError):
        return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)

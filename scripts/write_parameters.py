"""Writes python/mbnn/_parameters.py, the estimators' constructor, from the declarations of the options."""
from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Any

from mbnn._arguments import TABLE_OPTIONS

PATH = Path(__file__).parents[1] / "python" / "mbnn" / "_parameters.py"

# Said by X and y, by the class, by random_state.
LEFT_OUT = {"data", "target", "delimiter", "no_header", "task", "seed"}
HINTS = {"": "bool | None", "N": "int | None", "X": "float | None", "NAMES": "Sequence[str] | None",
         "on|off": "bool | str | None", "SIZES|auto": "str | Sequence[int] | None",
         "X|auto|validate": "float | str | None"}
SEVERAL = {"start_width": "int | Sequence[int] | None"}

OWN = {
    "random_state": ("int | np.random.RandomState | None",
                     "the seed: the same one gives the same bits, also by the command line's --seed. None is the "
                     "seed 1, not a random one", "None"),
    "n_jobs": ("int | None", "threads; None or -1: OMP_NUM_THREADS if it is set, else all cores. Results do not depend "
               "on it", "None"),
    "verbose": ("Progress", "True: a bar; a function is called with the status of a chain, a dict", "False"),
}

HEAD = '''"""The constructor of the estimators. Written by scripts/write_parameters.py: do not edit."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from ._progress import Progress

# The options of a fit that estimators have, in the order of the command line's help.
OPTIONS = {options}

DOCUMENT = """\\
{document}"""


class Parameters:
    """See the estimators."""

    def __init__(
        self,
        *,
{signature}
    ) -> None:
{assignments}
'''


def page() -> str:
    options = {name: option for name, option in TABLE_OPTIONS.items() if name not in LEFT_OUT}
    hints = {name: hint_of(name, option) for name, option in options.items()}
    document = ""
    for name, option in options.items():
        about = option["help"] if option["kind"] or option["help"].endswith("]") else option["help"] + " [False]"
        document += f"{name} : {shown(hints[name])}, optional\n" + wrapped(about)
    for name, (hint, about, _) in OWN.items():
        document += f"{name} : {shown(hint)}, optional\n" + wrapped(about)
    signature = [f"{name}: {hint} = None," for name, hint in hints.items()]
    signature += [f"{name}: {hint} = {default}," for name, (hint, _, default) in OWN.items()]
    names = [*options, *OWN]
    listed = "(\n" + textwrap.fill(", ".join(f'"{name}"' for name in options), 118, initial_indent="    ",
                                   subsequent_indent="    ") + ",\n)"
    return HEAD.format(options=listed, document=document, signature=textwrap.indent("\n".join(signature), " " * 8),
                       assignments=textwrap.indent("\n".join(f"self.{name} = {name}" for name in names), " " * 8))


def shown(hint: str) -> str:
    """As numpy's documents have it."""
    return hint.replace(" | None", "").replace("Literal[", "{").replace('"]', '"}').replace(" | ", " or ")


def hint_of(name: str, option: dict[str, Any]) -> str:
    if option["choices"] and option["kind"] not in HINTS:
        return f"Literal[{', '.join(repr(choice) for choice in option['choices'])}] | None".replace("'", '"')
    return SEVERAL.get(name) or HINTS.get(option["kind"], "str | None")


def wrapped(text: str) -> str:
    return textwrap.fill(text, 114, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False) + "\n"


if __name__ == "__main__":
    if "--check" not in sys.argv:
        PATH.write_text(page())
    elif PATH.read_text() != page():
        sys.exit("python/mbnn/_parameters.py is out of date: run scripts/update-docs and commit what it writes")

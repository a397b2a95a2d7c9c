"""Tiny fits: each takes a fraction of a second, and none is good."""
import os
import subprocess

import numpy as np
import pandas as pd
import pytest

TINY = {"chains": 2, "warmup": 30, "draws": 20, "thin": 1, "hidden": (20, 20), "start_width": 8, "start_steps": 200,
        "leapfrog_steps": 10}


@pytest.fixture(scope="session")
def program():
    """Runs the command line with these words."""
    path = os.environ.get("MBNN_PROGRAM")
    if not path:
        pytest.skip("MBNN_PROGRAM does not name the command line")

    def run(*words):
        result = subprocess.run([path, *map(str, words)], capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        return result.stdout
    return run


def words_of(options):
    """Options as the command line has them."""
    words = []
    for name, value in options.items():
        text = ",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)
        words += ["--" + name.rstrip("_").replace("_", "-"), text]
    return words


@pytest.fixture(scope="session")
def houses():
    """A table with all sorts of columns, with missing cells in some."""
    rng = np.random.default_rng(1)
    n = 120
    area, zone = rng.uniform(40, 200, n), rng.integers(1, 4, n)
    frame = pd.DataFrame({
        "area": area,
        "rooms": rng.integers(1, 7, n),
        "town": rng.choice(["North", "South", "East"], n),
        "zone": pd.Categorical(zone, categories=[3, 1, 2]),
        "garden": rng.random(n) < 0.5,
        "built": rng.integers(1900, 2020, n).astype(float),
    })
    frame["price"] = 2 * area + 30 * zone + 20 * frame["garden"] + rng.normal(0, 10, n)
    frame.loc[::9, "built"] = np.nan
    frame.loc[::11, "town"] = None
    return frame

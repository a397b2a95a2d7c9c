#!/usr/bin/env python3
"""Draws the truth, the data, the predictive mean and the 95% interval of the noisy polynomial.

    plot.py DIRECTORY PICTURE.png

DIRECTORY holds train.csv, grid.csv and predictions.csv (one row for each row of the grid). Grey marks what lies beyond
the outermost points: there the network continues the data, and nothing tells it how.
"""
import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of a backend that needs no screen)

INK, MUTED, GRID, BEYOND = "#22272e", "#6b7280", "#e4e7ec", "#f1f3f5"
TRUTH, MODEL = "#c2410c", "#1d4ed8"


def columns(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def main():
    directory = pathlib.Path(sys.argv[1])
    train = columns(directory / "train.csv")
    x = columns(directory / "grid.csv")["x"]
    predicted = columns(directory / "predictions.csv")
    first, last = min(train["x"]), max(train["x"])

    plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 11, "text.color": INK, "axes.edgecolor": "#9aa3af",
                         "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK})
    figure, axes = plt.subplots(figsize=(8.6, 4.8), dpi=160, constrained_layout=True)
    for edges in ((x[0], first), (last, x[-1])):
        axes.axvspan(*edges, color=BEYOND, lw=0, zorder=0)
        axes.text(sum(edges) / 2, 168, "no data", ha="center", va="top", fontsize=9.5, color=MUTED)
    axes.fill_between(x, predicted["lower"], predicted["upper"], color=MODEL, alpha=0.17, lw=0, zorder=1)
    axes.plot(x, [v ** 3 for v in x], color=TRUTH, lw=1.8, ls=(0, (5, 2)), zorder=3)
    axes.plot(x, predicted["mean"], color=MODEL, lw=2.2, zorder=2)
    axes.plot(train["x"], train["y"], "o", ms=6, mfc=INK, mec="white", mew=0.9, zorder=4)

    def label(text, at, place, color, weight="normal"):
        axes.annotate(text, at, place, color=color, ha="center", va="center", fontweight=weight,
                      arrowprops={"arrowstyle": "-", "color": color, "lw": 0.9, "shrinkA": 2, "shrinkB": 3})

    def at(name, where):
        return predicted[name][min(range(len(x)), key=lambda i: abs(x[i] - where))]

    label("truth, $x^3$", (3.35, 3.35 ** 3), (3.25, -18), TRUTH)
    label("predictive mean", (2.95, at("mean", 2.95)), (1.75, 62), MODEL, "bold")
    label("95% interval", (-3.85, at("lower", -3.85)), (-2.55, -112), MODEL)
    label(f"{len(train['x'])} points", (-1.41, 0), (-1.85, 45), INK)

    axes.set_xlim(x[0], x[-1])
    axes.set_ylim(-180, 180)
    axes.set_xticks(range(-5, 6))
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    axes.grid(color=GRID, lw=0.8, zorder=0.5)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_title("A masked network on a noisy polynomial: $y = x^3 + N(0, 9)$", loc="left", fontsize=12.5, pad=10)
    figure.savefig(sys.argv[2], metadata={"Software": None})


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Draws the truth, the data, the predictive mean and the 95% interval of the noisy polynomial.

    plot.py DIRECTORY PICTURE.png

DIRECTORY holds train.csv, grid.csv and predictions.csv (one row for each row of the grid).
"""
import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of a backend that needs no screen)

INK, GRID, TRUTH, MODEL = "#22272e", "#e4e7ec", "#c2410c", "#1d4ed8"


def columns(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def main():
    directory = pathlib.Path(sys.argv[1])
    train = columns(directory / "train.csv")
    x = columns(directory / "grid.csv")["x"]
    predicted = columns(directory / "predictions.csv")

    plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 11, "text.color": INK, "axes.edgecolor": "#9aa3af",
                         "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK})
    figure, axes = plt.subplots(figsize=(8.6, 4.8), dpi=160, constrained_layout=True)
    for edge in (-5, 4):
        axes.axvspan(edge, edge + 1, color="#f4f5f7", lw=0, zorder=0)
    axes.fill_between(x, predicted["lower"], predicted["upper"], color=MODEL, alpha=0.17, lw=0, zorder=1,
                      label="95% predictive interval")
    axes.plot(x, [v ** 3 for v in x], color=TRUTH, lw=1.8, ls=(0, (5, 2)), zorder=3, label="truth, $x^3$")
    axes.plot(x, predicted["mean"], color=MODEL, lw=2.2, zorder=2, label="predictive mean")
    axes.plot(train["x"], train["y"], "o", ms=6, mfc=INK, mec="white", mew=0.9, zorder=4,
              label=f"data, {len(train['x'])} points")

    axes.set_xlim(-5, 5)
    axes.set_ylim(-150, 150)
    axes.set_xticks(range(-5, 6))
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    axes.grid(color=GRID, lw=0.8, zorder=0.5)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for centre in (-4.5, 4.5):
        axes.text(centre, -143, "no data", ha="center", va="bottom", fontsize=9, color="#6b7280")
    axes.set_title("A masked network on a noisy polynomial: $y = x^3 + N(0, 9)$", loc="left", fontsize=12.5, pad=10)
    handles, labels = axes.get_legend_handles_labels()
    order = [3, 1, 2, 0]
    axes.legend([handles[i] for i in order], [labels[i] for i in order], loc="upper left", frameon=False,
                bbox_to_anchor=(0.115, 1.0), handlelength=2.2)
    figure.savefig(sys.argv[2], metadata={"Software": None})


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Draws the output of `mbnn series forecast`: target and band above, components below."""
import argparse
import csv
import datetime

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("forecast", help="CSV of mbnn series forecast")
    parser.add_argument("table", help="the table with the actual target")
    parser.add_argument("--target", required=True)
    parser.add_argument("--date", required=True)
    parser.add_argument("--from", dest="start", default="", help="the first date after training")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    rows = read(arguments.forecast)
    actual = {row[arguments.date]: row[arguments.target] for row in read(arguments.table)}
    days = [datetime.date.fromisoformat(row["date"]) for row in rows]

    def column(name):
        return [float(row[name]) for row in rows]

    parts = [name[:-6] for name in rows[0] if name.endswith("_lower")]
    heights = [3] + [1.2] * len(parts)
    figure, axes = plt.subplots(len(heights), 1, sharex=True, figsize=(10, 8), height_ratios=heights)
    seen = [(day, float(actual[row["date"]])) for day, row in zip(days, rows) if actual.get(row["date"])]
    axes[0].fill_between(days, column("lower"), column("upper"), color="tab:blue", alpha=0.25, lw=0, label="95% band")
    axes[0].plot(days, column("mean"), color="tab:blue", lw=1, label="mean")
    axes[0].plot(*zip(*seen), color="tab:red", lw=0.7, label=arguments.target)
    axes[0].legend(loc="upper left", ncols=3, frameon=False)
    for axis, part in zip(axes[1:], parts):
        axis.fill_between(days, column(part + "_lower"), column(part + "_upper"), color="tab:blue", alpha=0.25, lw=0)
        axis.plot(days, column(part), color="tab:blue", lw=0.8)
        axis.set_ylabel(part)
    for axis in axes:
        if arguments.start:
            axis.axvline(datetime.date.fromisoformat(arguments.start), color="black", lw=0.8, ls="--")
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(arguments.out, dpi=110)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Draws the output of `mbnn series forecast`: target, mean and band above, components below.

    plot.py FORECAST.csv TABLE.csv --target COLUMN --date COLUMN --out PICTURE.png
            [--from DATE] [--since DATE] [--note DATE=TEXT ...]

--from is the first date after training: grey from there on. --since leaves out what is earlier, so that a season of a
few days can be seen. A note stands at the target of its date.
"""
import argparse
import csv
import datetime

import matplotlib

matplotlib.use("Agg")
import matplotlib.dates as dates  # noqa: E402  (after the choice of a backend that needs no screen)
import matplotlib.pyplot as plt  # noqa: E402

INK, MUTED, GRID, BEYOND = "#22272e", "#6b7280", "#e4e7ec", "#f1f3f5"
MODEL, PART = "#1d4ed8", "#15803d"
LABEL = {"ha": "center", "va": "center", "fontsize": 10}


def day(text):
    return datetime.date.fromisoformat(text)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("forecast", help="CSV of mbnn series forecast")
    parser.add_argument("table", help="the table with the actual target")
    parser.add_argument("--target", required=True)
    parser.add_argument("--date", required=True)
    parser.add_argument("--from", dest="start", type=day, default=datetime.date.max)
    parser.add_argument("--since", type=day, default=datetime.date.min)
    parser.add_argument("--note", action="append", default=[])
    parser.add_argument("--out", required=True)
    return parser.parse_args()


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def draw(axis, days, rows, name, band, color):
    def column(key):
        return [float(row[key]) for row in rows]

    lower, upper = (f"{band}lower", f"{band}upper")
    axis.fill_between(days, column(lower), column(upper), color=color, alpha=0.17, lw=0)
    axis.plot(days, column(name), color=color, lw=1.6)


def heading(axis, text, aside=""):
    axis.set_title(text, loc="left", fontsize=11.5, pad=5)
    axis.set_title(aside, loc="right", fontsize=9.5, color=MUTED, pad=5)


def score(days, rows, seen, start):
    after = [(row, seen[d]) for d, row in zip(days, rows) if d >= start and d in seen]
    if not after:
        return ""
    rmse = (sum((float(row["mean"]) - y) ** 2 for row, y in after) / len(after)) ** 0.5
    covered = sum(float(row["lower"]) <= y <= float(row["upper"]) for row, y in after)
    return f"after training: RMSE {rmse:.4g}; the band covers {covered} of {len(after)}"


def label(axis, text, at, offset, color):
    axis.annotate(text, at, offset, textcoords="offset points", color=color, **LABEL,
                  arrowprops={"arrowstyle": "-", "color": color, "lw": 0.9, "shrinkA": 1, "shrinkB": 3})


def main():
    a = arguments()
    rows = [row for row in read(a.forecast) if day(row["date"]) >= a.since]
    days = [day(row["date"]) for row in rows]
    shown = set(days)
    actual = {day(row[a.date]): row[a.target] for row in read(a.table)}
    seen = {d: float(y) for d, y in actual.items() if y and d in shown}
    parts = [name[:-6] for name in rows[0] if name.endswith("_lower")]

    plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 10.5, "text.color": INK, "xtick.color": INK,
                         "ytick.color": INK, "axes.labelcolor": INK, "axes.edgecolor": "#9aa3af"})
    figure, axes = plt.subplots(1 + len(parts), 1, sharex=True, figsize=(9.6, 3.6 + 1.5 * len(parts)), dpi=150,
                                height_ratios=[2.6] + [1] * len(parts), constrained_layout=True)
    top = axes[0]
    draw(top, days, rows, "mean", "", MODEL)
    top.plot(list(seen), list(seen.values()), "o", ms=3.4, mfc=INK, mec="white", mew=0.5)
    heading(top, f"{a.target}: actual values, and the mean with its 95% band", score(days, rows, seen, a.start))
    for axis, part in zip(axes[1:], parts):
        draw(axis, days, rows, part, part + "_", PART)
        heading(axis, f"season of {part[6:]}" if part.startswith("season") else part)

    for axis in axes:
        if a.start <= days[-1]:
            axis.axvspan(a.start, days[-1], color=BEYOND, lw=0, zorder=0)
        axis.grid(color=GRID, lw=0.8)
        axis.set_axisbelow(True)
        axis.spines[["top", "right"]].set_visible(False)
    for note in a.note:
        where, text = note.split("=", 1)
        label(top, text, (day(where), seen[day(where)]), (-44, 10), INK)
    if days[0] < a.start <= days[-1]:
        for text, offset, side in (("training", -6, "right"), ("after training", 6, "left")):
            top.annotate(text, (a.start, 0.03), (offset, 0), xycoords=("data", "axes fraction"),
                         textcoords="offset points", ha=side, color=MUTED, fontsize=9.5)

    top.set_xlim(days[0], days[-1])
    top.xaxis.set_major_locator(dates.AutoDateLocator(maxticks=9))
    top.xaxis.set_major_formatter(dates.ConciseDateFormatter(top.xaxis.get_major_locator()))
    figure.savefig(a.out, metadata={"Software": None})


if __name__ == "__main__":
    main()

"""Draws the pictures of the studies; experiments/draw is the way in.

    pictures.py polynomial|proposals|concentration|series|images|image-proposals DIRECTORY [PICTURE.png]
"""
import csv
import datetime
import math
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.dates  # noqa: E402
import matplotlib.ticker  # noqa: E402,F401
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of a backend that needs no screen)
from matplotlib.lines import Line2D  # noqa: E402

INK, MUTED, GRID, SHADE = "#22272e", "#6b7280", "#e4e7ec", "#f4f5f7"
BLUE, ORANGE, GREEN = "#1d4ed8", "#c2410c", "#15803d"
TITLES = {"polynomial": "Noisy polynomial", "boston": "Boston", "concrete": "Concrete", "energy": "Energy",
          "yacht": "Yacht"}


def stop(message):
    sys.exit(f"draw: {message}")


def records(path):
    if not path.is_file():
        stop(f"{path} is not there: run the study first")
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def columns(path):
    rows = records(path)
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def plain(axes):
    axes.grid(color=GRID, lw=0.8, zorder=0.5)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def polynomial(directory):
    data = columns(directory / "data.csv")
    bands = {m: columns(directory / f"bands_{m}.csv") for m in ("bnn", "mbnn")
             if (directory / f"bands_{m}.csv").is_file()}
    if not bands:
        stop(f"{directory}/bands_mbnn.csv is not there: run the study first, with repetition 1")
    rows = records(directory / "rows.csv")
    figure, panels = plt.subplots(1, len(bands), figsize=(4.9 * len(bands), 4.6), dpi=160, sharey=True, squeeze=False,
                                  constrained_layout=True)
    names = {"bnn": "BNN, every node on", "mbnn": "mBNN, learnt widths"}
    for axes, (method, band) in zip(panels[0], bands.items()):
        for edge in (-5, 4):
            axes.axvspan(edge, edge + 1, color=SHADE, lw=0, zorder=0)
        axes.fill_between(band["x"], band["lower"], band["upper"], color=BLUE, alpha=0.17, lw=0, zorder=1)
        axes.plot(band["x"], band["mean"], color=BLUE, lw=2.2, zorder=2)
        axes.plot(band["x"], band["truth"], color=ORANGE, lw=1.7, ls=(0, (5, 2)), zorder=3)
        axes.plot(data["x"], data["y"], "o", ms=5.5, mfc=INK, mec="white", mew=0.9, zorder=4)
        coverage = [float(row["coverage"]) for row in rows if row["method"] == method]
        axes.set_title(f"{names[method]}\n", loc="left", fontsize=12)
        axes.text(0, 1.015, f"covers {100 * sum(coverage) / len(coverage):.1f}% of new points, mean of "
                  f"{len(coverage)} data sets", transform=axes.transAxes, fontsize=9.5, color=MUTED)
        axes.set_xlim(-5, 5)
        axes.set_ylim(-150, 150)
        axes.set_xticks(range(-4, 5, 2))
        axes.set_xlabel("x")
        plain(axes)
    first = panels[0][0]
    first.set_ylabel("y")
    handles = [Line2D([], [], marker="o", ls="", mfc=INK, mec="white", ms=6, label="20 points"),
               Line2D([], [], color=ORANGE, lw=1.7, ls=(0, (5, 2)), label="truth, $x^3$"),
               Line2D([], [], color=BLUE, lw=2.2, label="predictive mean"),
               plt.Rectangle((0, 0), 1, 1, color=BLUE, alpha=0.17, lw=0, label="95% interval")]
    first.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.1, 1), frameon=False, fontsize=9.5)
    for axes in panels[0]:
        for centre in (-4.5, 4.5):
            axes.text(centre, -146, "no\ndata", ha="center", va="bottom", fontsize=8, color=MUTED)
    return figure


def mean_trace(path):
    """The share of active nodes by iteration, mean over chains."""
    sums, counts = {}, {}
    for row in records(path):
        i = int(row["iteration"])
        sums[i] = sums.get(i, 0) + float(row["ratio"])
        counts[i] = counts.get(i, 0) + 1
    return sorted(sums), [sums[i] / counts[i] for i in sorted(sums)]


def proposals(directory):
    """One panel a data set; as in the paper, the colour is the death rule and the dashes are the birth rule."""
    deaths = {"uniform": BLUE, "reciprocal": ORANGE, "linear": GREEN}
    births = {"uniform": "-", "reciprocal": (0, (5, 2)), "linear": (0, (1, 1.6))}
    paths = sorted((directory / "traces").glob("*.csv"))
    traces = {}
    for path in paths:
        name, birth, death, split = path.stem.split("-")
        if split == min(p.stem.split("-")[3] for p in paths):
            traces.setdefault(name, {})[(birth, death)] = mean_trace(path)
    if not traces:
        stop(f"{directory}/traces has no CSV: run the study first")
    sets = [s for s in TITLES if s in traces]
    wide = min(3, len(sets) + 1)
    high = math.ceil((len(sets) + 1) / wide)
    figure, grid = plt.subplots(high, wide, figsize=(3.75 * wide, 3.05 * high), dpi=160, squeeze=False,
                                constrained_layout=True)
    panels = grid.ravel()
    for axes, name in zip(panels, sets):
        for (birth, death), (iterations, ratio) in traces[name].items():
            ours = (birth, death) == ("uniform", "reciprocal")
            at = [i for i in iterations if i > 0]
            axes.plot(at, ratio[len(ratio) - len(at):], color=deaths[death], ls=births[birth],
                      lw=2.4 if ours else 1.3, alpha=1 if ours else 0.85, zorder=3 if ours else 2)
        axes.set_xscale("log")
        axes.set_xlim(1, max(max(t[0]) for t in traces[name].values()))
        axes.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda n, _: f"{n:,.0f}"))
        axes.xaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
        axes.set_ylim(0, 1.03)
        axes.set_title(TITLES[name], loc="left", fontsize=11.5)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
        plain(axes)
    for axes in panels[len(sets):]:
        axes.axis("off")
    for row in range(high):
        grid[row][0].set_ylabel("share of nodes active")
    for axes in panels[max(0, len(sets) - wide):len(sets)]:
        axes.set_xlabel("iteration")
    key = panels[len(sets)]
    key.text(0.06, 0.97, "nodes to switch off chosen by", fontsize=9.5, color=MUTED, transform=key.transAxes, va="top")
    key.text(0.06, 0.50, "nodes to switch on chosen by", fontsize=9.5, color=MUTED, transform=key.transAxes, va="top")
    for place, (rule, colour) in enumerate(deaths.items()):
        y = 0.84 - 0.11 * place
        key.plot([0.06, 0.24], [y, y], color=colour, lw=2.4, transform=key.transAxes)
        key.text(0.29, y, rule, color=colour, transform=key.transAxes, va="center", fontsize=10.5)
    for place, (rule, dashes) in enumerate(births.items()):
        y = 0.37 - 0.11 * place
        key.plot([0.06, 0.24], [y, y], color=INK, ls=dashes, lw=1.6, transform=key.transAxes)
        key.text(0.29, y, rule, transform=key.transAxes, va="center", fontsize=10.5)
    key.text(0.06, 0.03, "thick: the paper's choice", fontsize=9.5, color=ORANGE, transform=key.transAxes)
    return figure


def slope(points):
    """The least-squares slope of log error against log n."""
    x = [math.log(n) for n, _ in points]
    y = [math.log(e) for _, e in points]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return (sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x))


def end_labels(axes, labels, gap):
    """Texts at the right ends of lines, moved apart until none covers another; gap in units of the panel's height."""
    axes.figure.canvas.draw()  # the limits must be final
    to_panel = axes.transData + axes.transAxes.inverted()
    placed = sorted((to_panel.transform(point)[1], point, text, colour) for point, text, colour in labels)
    heights = [place[0] for place in placed]
    for _ in range(100):
        for i in range(len(heights) - 1):
            overlap = gap - (heights[i + 1] - heights[i])
            if overlap > 0:
                heights[i] -= overlap / 2
                heights[i + 1] += overlap / 2
    for height, (_, point, text, colour) in zip(heights, placed):
        x = to_panel.transform(point)[0] + 0.03
        axes.text(x, height, text, transform=axes.transAxes, va="center", fontsize=9.5, color=colour)


def concentration(directory):
    """Left: error against n, with fitted slopes and, dashed, the slopes of the theory. Right: nodes against n."""
    rows = records(directory / "rows.csv")
    functions = list(dict.fromkeys(row["function"] for row in rows))
    palette = dict(zip(functions, (BLUE, ORANGE, GREEN, INK)))
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.2, 4.5), dpi=160, constrained_layout=True)
    labels = {left: [], right: []}
    for name in functions:
        mine = [row for row in rows if row["function"] == name]
        sizes = sorted({int(row["n"]) for row in mine})
        for axes, value in ((left, lambda r: float(r["error"])),
                            (right, lambda r: float(r["width1"]) + float(r["width2"]))):
            by_size = {n: [value(r) for r in mine if int(r["n"]) == n] for n in sizes}
            means = [(n, sum(v) / len(v)) for n, v in by_size.items()]
            axes.plot([int(r["n"]) for r in mine], [value(r) for r in mine], "o", ms=3.5, mew=0, color=palette[name],
                      alpha=0.3, zorder=2)
            axes.plot(*zip(*means), color=palette[name], lw=2, marker="o", ms=5.5, mec="white", mew=0.8, zorder=3)
            label = name.replace("_", " ")
            if axes is left and len(means) > 1:
                label += f"\nslope {slope(means):.2f}"
                if rate := mine[0].get("rate"):
                    middle = math.exp(sum(math.log(e) - float(rate) * math.log(n) for n, e in means) / len(means))
                    axes.plot(sizes, [middle * n ** float(rate) for n in sizes], color=palette[name], lw=1.1,
                              ls=(0, (4, 3)), zorder=2)
                    label += f", theory {float(rate):.2f}"
            labels[axes].append((means[-1], label.replace("-", "\N{MINUS SIGN}"), palette[name]))
    left.set_ylabel("error of the posterior mean, $L_2$")
    right.set_ylabel("active nodes, both layers")
    left.set_yscale("log")
    right.set_ylim(0, 1.12 * right.get_ylim()[1])
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_xlabel("rows, n")
        low, high = axes.get_xlim()
        axes.set_xlim(low, high * (17 if axes is left else 5))
        axes.set_xticks([10 ** k for k in range(2, 6) if 10 ** k <= high])
        axes.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda n, _: f"{n:,.0f}"))
        axes.xaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
        plain(axes)
    for axis_format in (left.yaxis.set_major_formatter, left.yaxis.set_minor_formatter):
        axis_format(matplotlib.ticker.FuncFormatter(
            lambda y, _: f"{y:g}" if f"{y:.0e}"[0] in "125" else ""))
    end_labels(left, labels[left], 0.105)
    end_labels(right, labels[right], 0.055)
    return figure


def series(directory):
    """As the paper's Figure 2: the test days of the generated series, one panel a regression; nowcasts and bands."""
    names = {"linear": "linear", "bnn": "BNN, every node on", "mbnn": "mBNN, learnt widths"}
    nowcasts = {}
    for method in names:
        path = directory / f"predictions-search-{method}.csv"
        if path.is_file():
            nowcasts[method] = [row for row in records(path) if row["mode"] == "nowcast"]
    if not nowcasts:
        stop(f"{directory}/predictions-search-mbnn.csv is not there: run the study first, with repetition 1")
    figure, panels = plt.subplots(len(nowcasts), 1, figsize=(9.6, 2.35 * len(nowcasts) + 0.4), dpi=160, sharex=True,
                                  sharey=True, squeeze=False, constrained_layout=True)
    for axes, (method, rows) in zip(panels[:, 0], nowcasts.items()):
        days = [datetime.date.fromisoformat(row["date"]) for row in rows]
        value = {name: [float(row[name]) for row in rows] for name in ("actual", "mean", "lower", "upper", "trend")}
        axes.fill_between(days, value["lower"], value["upper"], color=BLUE, alpha=0.17, lw=0, zorder=1)
        axes.plot(days, value["trend"], color=GREEN, lw=1.3, ls=(0, (5, 2)), zorder=2)
        axes.plot(days, value["mean"], color=BLUE, lw=1.6, zorder=3)
        axes.plot(days, value["actual"], "o", ms=3.4, mfc=INK, mec="white", mew=0.5, zorder=4)
        error = math.sqrt(sum((m - a) ** 2 for m, a in zip(value["mean"], value["actual"])) / len(days))
        covered = sum(low <= a <= high for low, a, high in zip(value["lower"], value["actual"], value["upper"]))
        axes.set_title(names[method], loc="left", fontsize=11.5)
        axes.set_title(f"RMSE {error:.2f}; the band covers {covered} of {len(days)} days", loc="right", fontsize=9.5,
                       color=MUTED)
        axes.xaxis.set_major_locator(matplotlib.dates.MonthLocator())
        axes.xaxis.set_major_formatter(matplotlib.dates.DateFormatter("%-d %b"))
        axes.set_xlim(days[0], days[-1])
        plain(axes)
    panels[len(nowcasts) // 2][0].set_ylabel("searches a day, thousands")
    handles = [Line2D([], [], marker="o", ls="", mfc=INK, mec="white", ms=5, label="actual"),
               Line2D([], [], color=BLUE, lw=1.6, label="one-step mean"),
               plt.Rectangle((0, 0), 1, 1, color=BLUE, alpha=0.17, lw=0, label="95% band"),
               Line2D([], [], color=GREEN, lw=1.3, ls=(0, (5, 2)), label="trend")]
    panels[-1][0].legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=4, frameon=False,
                         fontsize=9.5)
    return figure


IMAGE_SETS = {"fashion-cnn": "Fashion-MNIST, CNN 16", "fashion-resnet18": "Fashion-MNIST, ResNet18 16",
              "cifar10-resnet18": "CIFAR-10, ResNet18", "cifar100-resnet18": "CIFAR-100, ResNet18"}


def epochs_of(path, column):
    """A column by epoch, from 1 at the start; of an epoch that was run again the last line counts."""
    values = {0: 1.0}
    for row in records(path):
        values[int(row["epoch"])] = float(row[column])
    return sorted(values), [values[i] for i in sorted(values)]


def image_traces(directory):
    """Of the first repetition, by set and by what tells the fits of a set apart."""
    traces = {}
    for path in sorted((directory / "traces").glob("*-1.csv")):
        for name in IMAGE_SETS:
            if path.stem.startswith(name + "-"):
                traces.setdefault(name, {})[path.stem[len(name) + 1:-2]] = path
    if not traces:
        stop(f"{directory}/traces has no CSV: run the study first")
    return traces


def images(directory):
    """Above, the capacity of the chains against epochs; below, NLL against capacity of every method; a column a set."""
    names = {"mbnn": ("mBCNN", BLUE, "o"), "mbnn-0.1": ("mBCNN, λ = 0.1", BLUE, "v"),
             "mbnn-plain": ("paper's moves", ORANGE, "o"), "mbnn-mhbt": ("with MHBT", ORANGE, "v"),
             "ensemble": ("dense ensemble", INK, "o"), "ns-ens": ("NS-Ens", GREEN, "o"),
             "ns-mc": ("NS-MC", GREEN, "v"), "ns-vi": ("NS-VI", GREEN, "s")}
    traces = image_traces(directory)
    rows = records(directory / "rows.csv")
    sets = [name for name in IMAGE_SETS if name in traces]
    figure, grid = plt.subplots(2, len(sets), figsize=(4.6 * len(sets), 6.4), dpi=160, squeeze=False,
                                constrained_layout=True)
    for column, name in enumerate(sets):
        above, below = grid[0][column], grid[1][column]
        labels = []
        for method, (text, colour, _) in names.items():
            if not method.startswith("mbnn") or method not in traces[name]:
                continue
            epochs, capacity = epochs_of(traces[name][method], "capacity")
            dashes = "-" if method in ("mbnn", "mbnn-plain") else (0, (5, 2))
            above.plot(epochs, capacity, color=colour, lw=1.9, ls=dashes)
            labels.append(((epochs[-1], capacity[-1]), text, colour))
        above.set_ylim(0, 1.3)
        above.set_title(IMAGE_SETS[name], loc="left", fontsize=11.5)
        above.xaxis.get_major_locator().set_params(integer=True)
        above.set_xlabel("epoch")
        plain(above)
        end_labels(above, labels, 0.07)
        for row in rows:
            if row["set"] != name:
                continue
            _, colour, mark = names[row["method"]]
            below.plot(float(row["capacity"]), float(row["nll"]), mark, ms=7, color=colour)
        below.set_xlabel("capacity, % of the dense network")
        below.set_xlim(0, 125)
        plain(below)
    grid[0][0].set_ylabel("capacity, share of dense")
    grid[1][0].set_ylabel("NLL of test images")
    there = {row["method"] for row in rows}
    handles = [Line2D([], [], color=colour, marker=mark, ls="", ms=7, label=text)
               for method, (text, colour, mark) in names.items() if method in there]
    grid[1][-1].legend(handles=handles, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9.5)
    return figure


def image_proposals(directory):
    deaths = {"uniform": BLUE, "reciprocal": ORANGE, "linear": GREEN}
    births = {"uniform": "-", "reciprocal": (0, (5, 2)), "linear": (0, (1, 1.6))}
    traces = image_traces(directory)
    figure, panels = plt.subplots(1, len(traces), figsize=(6.6 * len(traces), 4.2), dpi=160, squeeze=False,
                                  constrained_layout=True)
    for axes, name in zip(panels[0], traces):
        for rules, path in traces[name].items():
            birth, death = rules.split("-")
            ours = rules == "uniform-reciprocal"
            epochs, share = epochs_of(path, "share")
            axes.plot(epochs, share, color=deaths[death], ls=births[birth], lw=2.4 if ours else 1.3)
        axes.set_title(IMAGE_SETS[name], loc="left", fontsize=11.5)
        axes.set_xlabel("epoch")
        axes.set_ylabel("channels, share of the start")
        plain(axes)
    handles = [Line2D([], [], color=colour, lw=2, label=f"off: {rule}") for rule, colour in deaths.items()]
    handles += [Line2D([], [], color=INK, ls=dashes, lw=1.5, label=f"on: {rule}") for rule, dashes in births.items()]
    panels[0][-1].legend(handles=handles, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9.5)
    return figure


PICTURES = {"polynomial": polynomial, "proposals": proposals, "concentration": concentration, "series": series,
            "images": images, "image-proposals": image_proposals}


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in PICTURES:
        stop(f"expected {'|'.join(PICTURES)} DIRECTORY [PICTURE.png]")
    directory = pathlib.Path(sys.argv[2])
    plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 10.5, "text.color": INK,
                         "axes.edgecolor": "#9aa3af", "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK})
    picture = sys.argv[3] if len(sys.argv) == 4 else directory / f"{sys.argv[1]}.png"
    PICTURES[sys.argv[1]](directory).savefig(picture, metadata={"Software": None})
    print(picture)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""What a user would take instead, on the same splits and with the same scores: RMSE, NLL, CRPS, 95% coverage, time.

    experiments/peers/tables.py --data-dir DIR [--sets boston,yacht] [--splits 1-20] [--methods gp,boosting,ensemble]
                                [--splits-file splits_paper.txt] [--out peers.csv] [--markdown peers.md] [--threads 1]
                                [--mbnn-rows reproduce/uci/rows.csv]

DIR (or the environment variable MBNN_DATA) holds uci/NAME/NAME.csv and uci/NAME/<splits file>, one line of 0-based test
row numbers a split. Each finished fit is a row of --out; an interrupted study continues where it was.

Debian's packages, by Debian's Python:  scripts/setup peers  (apt-get install python3-sklearn python3-torch)

The settings are the same for every data set and were not tuned (docs/results/peers.md). Inputs and target are
standardised on the training rows; scores are in the target's units.
  gp        GaussianProcessRegressor: constant * anisotropic RBF + white noise; marginal likelihood maximised by L-BFGS
            from one fixed start and one random restart.
  boosting  GradientBoostingRegressor: depth 3, learning rate 0.1, half of the rows a tree, leaves of 5 or more;
            squared error for the mean, and a model for each of the levels .025 .05 .1 .2 ... .9 .95 .975. The number of
            trees, 25 to 400, by 3-fold cross-validation on the training rows: one for the mean, one (mean pinball loss
            of the levels .025, .5, .975) for the quantiles. Density and CRPS are those of the piecewise-linear quantile
            function with exponential tails (scores.py).
  ensemble  Deep ensemble (Lakshminarayanan et al. 2017): five networks of two hidden layers of 50 ReLU nodes and a
            Gaussian head (mean, softplus variance), Adam 0.005, batch 100, weight decay 1e-4, at most 1000 epochs; each
            keeps the epoch that was best on its own random tenth of the training rows, and stops 100 epochs after it.
            Prediction: the equal mixture.
"""
import argparse
import csv
import os
import pathlib
import sys
import time
import warnings

METHODS = ["gp", "boosting", "ensemble"]
TARGETS = {"boston": "medv", "concrete": "strength", "energy": "heating_load", "yacht": "resistance"}
LEVELS = [0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975]
FIELDS = ["splits_file", "set", "split", "method", "n", "rmse", "nll", "crps", "coverage", "seconds", "cpu_seconds"]


def gaussian_process(x, y, x_test, seed):
    import numpy as np
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    kernel = (ConstantKernel(1.0, (1e-3, 1e4)) * RBF(np.full(x.shape[1], 2.0), (1e-2, 1e4)) +
              WhiteKernel(0.05, (1e-6, 10)))
    model = GaussianProcessRegressor(kernel, n_restarts_optimizer=1, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a length scale at its upper bound: an input that does not matter
        model.fit(x, y)
    mean, sd = model.predict(x_test, return_std=True)
    return "mixture", mean[:, None], sd[:, None]


def boosting(x, y, x_test, seed):
    import numpy as np
    from sklearn.ensemble import GradientBoostingRegressor
    from sklearn.model_selection import KFold

    def model(trees, level=None):
        loss = {"loss": "squared_error"} if level is None else {"loss": "quantile", "alpha": level}
        return GradientBoostingRegressor(n_estimators=trees, learning_rate=0.1, max_depth=3, subsample=0.5,
                                         min_samples_leaf=5, random_state=seed, **loss)

    counts = [25, 50, 100, 200, 400]

    def held_out_loss(levels):
        total = np.zeros(len(counts))
        for train, held in KFold(3, shuffle=True, random_state=seed).split(x):
            for level in levels:
                stages = list(model(counts[-1], level).fit(x[train], y[train]).staged_predict(x[held]))
                for i, count in enumerate(counts):
                    error = y[held] - stages[count - 1]
                    total[i] += np.mean(error**2 if level is None else error * (level - (error < 0)))
        return counts[int(np.argmin(total))]

    centre = model(held_out_loss([None])).fit(x, y).predict(x_test)
    trees = held_out_loss([0.025, 0.5, 0.975])
    quantiles = np.stack([model(trees, level).fit(x, y).predict(x_test) for level in LEVELS], axis=1)
    return "quantiles", centre, quantiles


def ensemble(x, y, x_test, seed):
    import numpy as np
    import torch
    from torch.nn.functional import softplus

    torch.manual_seed(seed)
    inputs, target, test = (torch.tensor(a, dtype=torch.float32) for a in (x, y, x_test))

    def head(network, rows):
        out = network(rows)
        return out[:, 0], softplus(out[:, 1]) + 1e-6

    def loss(network, rows, answers):
        mean, variance = head(network, rows)
        return (0.5 * torch.log(variance) + 0.5 * (answers - mean) ** 2 / variance).mean()

    means, sds = [], []
    for _ in range(5):
        network = torch.nn.Sequential(torch.nn.Linear(x.shape[1], 50), torch.nn.ReLU(), torch.nn.Linear(50, 50),
                                      torch.nn.ReLU(), torch.nn.Linear(50, 2))
        optimiser = torch.optim.Adam(network.parameters(), lr=0.005, weight_decay=1e-4)
        order = torch.randperm(len(y))
        held, train = order[:len(y) // 10], order[len(y) // 10:]
        best, best_epoch, kept = float("inf"), 0, None
        for epoch in range(1000):
            for rows in train[torch.randperm(len(train))].split(100):
                optimiser.zero_grad()
                loss(network, inputs[rows], target[rows]).backward()
                optimiser.step()
            with torch.no_grad():
                now = loss(network, inputs[held], target[held]).item()
            if now < best:
                best, best_epoch = now, epoch
                kept = {name: value.clone() for name, value in network.state_dict().items()}
            elif epoch - best_epoch >= 100:
                break
        network.load_state_dict(kept)
        with torch.no_grad():
            mean, variance = head(network, test)
        means.append(mean.numpy().astype(np.float64))
        sds.append(np.sqrt(variance.numpy().astype(np.float64)))
    return "mixture", np.stack(means, axis=1), np.stack(sds, axis=1)


PREDICT = {"gp": gaussian_process, "boosting": boosting, "ensemble": ensemble}


def run(method, table, target, test_rows, seed):
    """One fit on one split: its scores in the target's units, and its wall and processor time."""
    import numpy as np
    from scores import mixture_scores, quantile_scores

    test = np.zeros(len(table), dtype=bool)
    test[test_rows] = True
    inputs = np.delete(table, target, axis=1)
    x, x_test, y, y_test = inputs[~test], inputs[test], table[~test, target], table[test, target]
    centre, scale = x.mean(axis=0), x.std(axis=0)
    scale[scale == 0] = 1
    shift, unit = y.mean(), y.std()
    wall, cpu = time.perf_counter(), time.process_time()
    kind, first, second = PREDICT[method]((x - centre) / scale, (y - shift) / unit, (x_test - centre) / scale, seed)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    first = shift + unit * first
    if kind == "mixture":
        scores = mixture_scores(y_test, first, unit * second)
    else:
        scores = quantile_scores(y_test, first, LEVELS, shift + unit * second, 1e-3 * unit)
    return {"n": int(test.sum()), **{k: f"{v:.6g}" for k, v in scores.items()}, "seconds": f"{wall:.2f}",
            "cpu_seconds": f"{cpu:.2f}"}


def read_table(folder, name, splits_file):
    import numpy as np

    path = folder / "uci" / name / f"{name}.csv"
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    table = np.array(rows[1:], dtype=float)
    splits_path = folder / "uci" / name / splits_file
    if splits_file == "splits_paper.txt" and not splits_path.exists():  # the paper's protocol; docs/reproduce.md
        splits = [sorted(np.random.RandomState(k).permutation(len(table))[:-(-len(table) // 10)]) for k in range(1, 21)]
    else:
        with open(splits_path) as file:
            splits = [[int(word) for word in line.split()] for line in file if line.strip()]
    if any(not 0 <= row < len(table) for split in splits for row in split):
        sys.exit(f"tables.py: {splits_file} of {name} names a row that {path} does not have")
    return table, rows[0].index(TARGETS[name]), splits


def markdown(rows, splits_file):
    """Means and standard errors over splits."""
    lines = ["| data | method | splits | RMSE | NLL | CRPS | coverage | CPU seconds a fit |",
             "|---|---|---|---|---|---|---|---|"]
    for name in TARGETS:
        for method in METHODS + ["mbnn"]:
            mine = [r for r in rows if r["set"] == name and r["method"] == method]
            if not mine:
                continue
            cells = []
            for field, digits in (("rmse", 3), ("nll", 3), ("crps", 3), ("coverage", 3)):
                values = [float(r[field]) for r in mine]
                mean = sum(values) / len(values)
                square = sum((v - mean) ** 2 for v in values) / max(1, len(values) - 1)
                cells.append(f"{mean:.{digits}f} ({(square / len(values)) ** 0.5:.{digits}f})")
            seconds = sum(float(r["cpu_seconds"]) for r in mine) / len(mine)
            lines.append(f"| {name} | {method} | {len(mine)} | {' | '.join(cells)} | {seconds:.1f} |")
    return "\n".join(lines + ["", f"Means and standard errors over the splits of `{splits_file}`.", ""])


def numbers(text):
    """1-3,7 is 1, 2, 3, 7."""
    found = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()) or int(first) < 1:
            sys.exit(f"tables.py: --splits '{text}': expected numbers from 1 such as 1-20 or 3,7")
        found += [k for k in range(int(first), int(last or first) + 1) if k not in found]
    if not found:
        sys.exit(f"tables.py: --splits '{text}': expected numbers from 1 such as 1-20 or 3,7")
    return found


def earlier_rows(out):
    """Rows that are there; a last line that was cut short is taken away."""
    if not out.exists():
        return []
    text = out.read_text()
    if not text.endswith("\n"):
        text = text[:text.rfind("\n") + 1]
        out.write_text(text)
    reader = csv.DictReader(text.splitlines())
    if reader.fieldnames and reader.fieldnames != FIELDS:
        sys.exit(f"tables.py: {out} has other columns than {','.join(FIELDS)}: choose another --out")
    return list(reader)


def choose(text, known, option):
    names = text.split(",")
    for name in names:
        if name not in known:
            sys.exit(f"tables.py: {option} '{name}': expected {', '.join(known)}")
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", default=os.environ.get("MBNN_DATA"))
    parser.add_argument("--sets", default=",".join(TARGETS))
    parser.add_argument("--splits", default="1-20", help="such as 1-20 or 3,7")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--splits-file", default="splits_paper.txt")
    parser.add_argument("--out", default="peers.csv")
    parser.add_argument("--markdown")
    parser.add_argument("--mbnn-rows", help="rows.csv of `mbnn reproduce uci`, to stand beside the others")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    if not args.data_dir or not pathlib.Path(args.data_dir, "uci").is_dir():
        sys.exit("tables.py: no data: --data-dir (or MBNN_DATA) must name a directory that holds uci/NAME/NAME.csv; "
                 "the tables are those of the UCI repository")
    sets, methods = choose(args.sets, list(TARGETS), "--sets"), choose(args.methods, METHODS, "--methods")
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # read once, when numpy is loaded
        os.environ[name] = str(args.threads)
    try:
        import numpy  # noqa: F401
        import sklearn  # noqa: F401
        import torch
    except ImportError as error:
        sys.exit(f"tables.py: {error}: apt-get install python3-sklearn python3-torch, and run with /usr/bin/python3")
    torch.set_num_threads(args.threads)

    out = pathlib.Path(args.out)
    wanted = numbers(args.splits)
    done = [row for row in earlier_rows(out) if row["splits_file"] == args.splits_file]
    finished = {(r["set"], int(r["split"]), r["method"]) for r in done}
    with open(out, "a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not out.stat().st_size:
            writer.writeheader()
        for method in methods:
            for name in sets:
                table, target, splits = read_table(pathlib.Path(args.data_dir), name, args.splits_file)
                if max(wanted) > len(splits):
                    sys.exit(f"tables.py: --splits {args.splits}: {args.splits_file} of {name} has {len(splits)}")
                for split in wanted:
                    if (name, split, method) in finished:
                        continue
                    figures = run(method, table, target, splits[split - 1], split)
                    row = {"splits_file": args.splits_file, "set": name, "split": split, "method": method, **figures}
                    writer.writerow(row)
                    file.flush()
                    done.append(row)
                    print(*(f"{k} {v}" for k, v in row.items()), file=sys.stderr, flush=True)
    if args.mbnn_rows:
        with open(args.mbnn_rows, newline="") as file:
            done += [row for row in csv.DictReader(file) if row["method"] == "mbnn"]
    page = markdown(done, args.splits_file)
    print(page)
    if args.markdown:
        pathlib.Path(args.markdown).write_text(page)


if __name__ == "__main__":
    main()

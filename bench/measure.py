"""Runs mbnn_bench, PyTorch and the command line in turn, and puts what they took beside the targets. See bench/run."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def answer(*command):
    """The JSON object that a command prints."""
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def run_measured(*command):
    """Wall-clock seconds, processor seconds and peak kilobytes of a command."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):  # 3: a run this short is not to be trusted, and says so
        raise subprocess.CalledProcessError(process.returncode, command)
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


class Rows:
    """The table: one row a figure."""

    def __init__(self):
        self.rows = []

    def add(self, what, ours, other, ratio, target, met):
        self.rows.append({"what": what, "ours": ours, "other": other, "ratio": ratio, "target": target,
                          "met": None if met is None else bool(met)})

    def cells(self):
        for row in self.rows:
            met = {None: "", True: "yes", False: "no"}[row["met"]]
            yield [row["what"], row["ours"], row["other"], row["ratio"], row["target"], met]

    def text(self):
        lines = [["what", "ours", "other", "ratio", "target", "met"], *self.cells()]
        widths = [max(len(line[i]) for line in lines) for i in range(6)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)

    def markdown(self):
        lines = ["| what | ours | other | ratio | target | met |", "|---|---|---|---|---|---|"]
        return "\n".join(lines + ["| " + " | ".join(cells) + " |" for cells in self.cells()])


def duration(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}"


def gradients(bench, rows, rounds):
    """Ours and PyTorch's turns alternate, and the fastest of each counts."""
    ours, torch, peak = {}, {}, 0
    names = ["455x13 29x12", "927x8 38x11", "455x13 1000x1000"]
    for _ in range(rounds):
        mine = answer(bench, "gradients")
        peak = max(peak, mine["peak_gflops"])
        for name, case in zip(names, mine["cases"]):
            if name not in ours or case["seconds"] < ours[name]["seconds"]:
                ours[name] = case
        theirs = answer(sys.executable, os.path.join(HERE, "torch_reference.py"))
        for name, seconds in theirs["seconds"].items():
            torch[name] = min(torch.get(name, seconds), seconds)
    for name in names:
        wide = "1000" in name
        share, times = ours[name]["gflops"] / peak, torch[name] / ours[name]["seconds"]
        rows.add(f"gradient, {name}: share of the core's peak", f"{ours[name]['gflops']:.1f} GFLOP/s",
                 f"{peak:.1f} GFLOP/s", f"{share:.0%}", "75%" if wide else "40%", share >= (0.75 if wide else 0.4))
        rows.add(f"gradient, {name}: against PyTorch", duration(ours[name]["seconds"]), duration(torch[name]),
                 f"{times:.1f}", "1" if wide else "8", times >= (1 if wide else 8))
    for name, masked in (("455x13 29x12", "455x13 1100x1100 masked"), ("927x8 38x11", "927x8 1100x1100 masked")):
        times = torch[masked] / ours[name]["seconds"]
        rows.add(f"compact gradient, {name}, against 1100x1100 with masks in PyTorch", duration(ours[name]["seconds"]),
                 duration(torch[masked]), f"{times:.0f}", "500", times >= 500)
    return {"peak_gflops": peak, "ours": ours, "torch_seconds": torch, "torch": theirs["torch"]}


def row_growth(bench, rows):
    result = answer(bench, "rows")
    few, many = result["cases"][0], result["cases"][-1]
    ours, other = many["seconds"] / many["rows"], few["seconds"] / few["rows"]
    rows.add("gradient a row, n = 100,000 against n = 1,000", duration(ours), duration(other), f"{ours / other:.2f}",
             "1 (within 5%)", ours <= 1.05 * other)
    return result


def moves(bench, rows):
    result = answer(bench, "moves")
    widths = "x".join(str(width) for width in result["widths"][1:-1])
    for what, key, target in (("one single-node birth or death", "single_seconds", 0.25),
                              ("one move of 1 to 3 nodes, as in the paper", "three_node_seconds", None)):
        ratio = result[key] / result["gradient_seconds"]
        rows.add(f"{what}, against a gradient, {widths}", duration(result[key]), duration(result["gradient_seconds"]),
                 f"{ratio:.2f}", str(target or ""), None if target is None else ratio <= target)
    return result


def threads(bench, rows):
    result = answer(bench, "threads")
    rows.add("two chains on two threads, against one after the other", duration(result["two_seconds"]),
             duration(2 * result["one_seconds"]), f"{result['speedup']:.2f}", "1.9", result["speedup"] >= 1.9)
    return result


def caps(bench, rows):
    best = {}
    for _ in range(3):
        for p in (1000, 1000000):
            result = answer(bench, "cap", str(p))
            kept = best.setdefault(p, result)
            for key in ("seconds", "kilobytes"):
                kept[key] = min(kept[key], result[key])
    few, many = best[1000], best[1000000]
    for what, key, show in (("time", "seconds", duration), ("memory", "kilobytes", lambda kb: f"{kb / 1024:.1f} MB")):
        ratio = many[key] / few[key]
        rows.add(f"cap p = 1,000,000 against p = 1,000: {what}", show(many[key]), show(few[key]), f"{ratio:.2f}",
                 "1 (within 5%)", ratio <= 1.05)
    return list(best.values())


def series(bench, rows):
    result = answer(bench, "series")
    theirs = result["statsmodels"] = answer(sys.executable, os.path.join(HERE, "statsmodels_reference.py"))
    for name, what in (("level", "a level"), ("season", "a level and a season of 7")):
        draw, filtered = result[name]["draw_seconds"], result[name]["filter_seconds"]
        rows.add(f"one joint state draw of 100,000 steps, {what}", duration(draw), "", "", "well under 1 s", draw < 0.5)
        rows.add(f"filter of 100,000 steps, {what}: against statsmodels", duration(filtered), duration(theirs[name]),
                 f"{theirs[name] / filtered:.1f}", "", None)
    for name, what in (("day", "24"), ("year", "7, 365.25"), ("hours", "24, 168, 8766")):
        rows.add(f"filter of 100,000 steps, seasons {what}", duration(result[name]["filter_seconds"]), "", "", "", None)
    rows.add("series of 240 days, the paper's mBNN setting", duration(result["paper_seconds"]), "", "", "a few seconds",
             result["paper_seconds"] < 5)
    return result


def images(bench, rows, rounds):
    """Training steps and predictions of ResNet18 on two threads, ours and PyTorch's in turn."""
    best = {}
    for _ in range(rounds):
        for share, steps in (("1", "2"), ("0.35", "4")):
            for who, command in (("ours", (bench, "images")),
                                 ("torch", (sys.executable, os.path.join(HERE, "torch_images.py")))):
                result = answer(*command, share, "2", steps)
                kept = best.setdefault(f"{who} {share}", result)
                for key in ("seconds", "peak_kilobytes", "move_seconds", "prediction_seconds"):
                    if key in result:
                        kept[key] = min(kept[key], result[key])
    for share, what in (("1", "dense"), ("0.35", "35% of the channels")):
        ours, torch = best[f"ours {share}"], best[f"torch {share}"]
        ratio = torch["seconds"] / ours["seconds"]
        rows.add(f"ResNet18, {what}, training step of 100 images, 2 threads: against PyTorch of that width",
                 f"{100 / ours['seconds']:.0f} images/s", f"{100 / torch['seconds']:.0f} images/s", f"{ratio:.2f}", "1",
                 ratio >= 1)
        memory = ours["peak_kilobytes"] / torch["peak_kilobytes"]
        rows.add(f"ResNet18, {what}: peak memory of the steps", f"{ours['peak_kilobytes'] / 1024:.0f} MB",
                 f"{torch['peak_kilobytes'] / 1024:.0f} MB", f"{memory:.2f}", "1", memory <= 1)
        faster = torch["prediction_seconds"] / ours["prediction_seconds"]
        rows.add(f"ResNet18, {what}: prediction of 100 images", duration(ours["prediction_seconds"]),
                 duration(torch["prediction_seconds"]), f"{faster:.2f}", "", None)
        rows.add(f"ResNet18, {what}: the chain's move of all weights, beside a step", duration(ours["move_seconds"]),
                 "", f"{ours['move_seconds'] / ours['seconds']:.2f}", "", None)
    times = best["ours 1"]["seconds"] / best["ours 0.35"]["seconds"]
    rows.add("ResNet18, 35% of the channels against dense", f"{100 / best['ours 0.35']['seconds']:.0f} images/s",
             f"{100 / best['ours 1']['seconds']:.0f} images/s", f"{times:.1f}", "5", times >= 5)
    times = best["ours 1"]["prediction_seconds"] / best["ours 0.35"]["prediction_seconds"]
    rows.add("ResNet18, prediction with 35% of the channels against dense",
             duration(best["ours 0.35"]["prediction_seconds"]), duration(best["ours 1"]["prediction_seconds"]),
             f"{times:.1f}", "", None)
    return best


def tables(bench, mbnn, rows):
    result = {}
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(bench))) as folder:
        big, small, fit = (os.path.join(folder, name) for name in ("big.csv", "small.csv", "fit.mbnn"))
        answer(bench, "generate", big, "1000000", "19")
        numeric = 8 * 20 * 1000000 / 2**20
        read = result["read"] = answer(bench, "read", big)
        memory = read["kilobytes"] / 1024
        rows.add("read a table of 1,000,000 x 20: memory", f"{memory:.0f} MB", f"{numeric:.0f} MB of numbers",
                 f"{memory / numeric:.2f}", "3", memory <= 3 * numeric)
        rows.add("read a table of 1,000,000 x 20: time", duration(read["seconds"]), "", "", "", None)
        seconds, cpu, kilobytes = run_measured(
            mbnn, "fit", big, "--target", "y", "--out", fit, "--sampler", "sghmc", "--chains", "2", "--warmup", "5",
            "--draws", "2", "--thin", "1", "--start-steps", "20", "--threads", "2", "--quiet", "--force")
        result["fit_big"] = {"seconds": seconds, "cpu_seconds": cpu, "kilobytes": kilobytes}
        rows.add("fit it with sghmc, few iterations: memory", f"{kilobytes / 1024:.0f} MB",
                 f"{numeric:.0f} MB of numbers", f"{kilobytes / 1024 / numeric:.2f}", "3",
                 kilobytes / 1024 <= 3 * numeric)
        rows.add("fit it with sghmc, few iterations: time", duration(seconds),
                 f"{cpu:.3g} s of processor", "", "", None)
        answer(bench, "generate", small, "500", "13")
        seconds, cpu, kilobytes = run_measured(mbnn, "fit", small, "--target", "y", "--out", fit, "--threads", "2",
                                               "--quiet", "--force")
        result["fit_small"] = {"seconds": seconds, "cpu_seconds": cpu, "kilobytes": kilobytes}
        rows.add("default fit, 500 rows, 13 inputs, 4 chains, 2 threads", duration(seconds),
                 f"{cpu:.3g} s of processor", "", "about 20 s",
                 seconds <= 22)
    return result


def machine():
    cpu = "unknown"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            cpu = re.search(r"model name\s*: (.*)", file.read()).group(1)
    except (OSError, AttributeError):
        pass
    compiler = subprocess.run(["c++", "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {"cpu": cpu, "cores": os.cpu_count(), "compiler": compiler.splitlines()[0],
            "load_before": round(os.getloadavg()[0], 2)}


def document(facts, rows, torch):
    return f"""# Speed

Written by `bench/run --docs`. Ratios are taken within one run; each time is the shortest of many, in processor
time for what runs on one thread and by the clock for what runs on two.

- Processor: {facts['cpu']}, {facts['cores']} cores; load before the run {facts['load_before']}
- Compiler: {facts['compiler']}, `-O3`, kernels for AVX2 chosen at run time
- PyTorch {torch}, one thread, with the BLAS that the system provides

{rows.markdown()}

Peak: independent float32 multiply-adds on registers, measured in the same run. A gradient's operations are two for each
multiply-add of the forward pass, of the derivative by weights, and of that by inputs except in the first layer.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--mbnn", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--docs", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    rows, bench = Rows(), arguments.bench
    parts = {
        "gradients": lambda: gradients(bench, rows, arguments.rounds),
        "rows": lambda: row_growth(bench, rows),
        "moves": lambda: moves(bench, rows),
        "threads": lambda: threads(bench, rows),
        "caps": lambda: caps(bench, rows),
        "images": lambda: images(bench, rows, arguments.rounds),
        "series": lambda: series(bench, rows),
        "tables": lambda: tables(bench, arguments.mbnn, rows),
    }
    chosen = arguments.only.split(",") if arguments.only else list(parts)
    for name in chosen:
        if name not in parts:
            parser.error(f"--only: no part is called '{name}'; there are {', '.join(parts)}")
    if arguments.docs and arguments.only:
        parser.error("--docs writes the page of all parts: leave out --only")
    facts = machine()
    result = {"machine": facts}
    for name in chosen:
        result[name] = parts[name]()
    result["table"] = rows.rows
    print(rows.text())
    with open(arguments.out, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=2)
        file.write("\n")
    if arguments.docs:
        os.makedirs(os.path.dirname(arguments.docs), exist_ok=True)
        with open(arguments.docs, "w", encoding="utf-8") as file:
            file.write(document(facts, rows, result["gradients"]["torch"]))


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Our Kalman filter and linear series beside statsmodels' UnobservedComponents.

  experiments/peers/series.py --mbnn build/mbnn [--data-dir DIR] [--generated search.csv] [--steps 100000]

Needs Debian's python3-statsmodels. First the log-likelihood of the same series at the same parameters, which must agree
to 1e-8 (exit code 1 otherwise); then accuracy and time of linear models on the data that are there. statsmodels takes
the maximum of the likelihood, we sample: the comparison is of the answers, not of the methods.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import pandas as pd
from statsmodels.tsa.statespace.structural import UnobservedComponents

warnings.filterwarnings("ignore")


def answer(*command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def known_start(model, trend, periods):
    """The initial law that mbnn has: independent, level 1, slope 0.01, seasonal entries 1."""
    variances = [1.0] + ([0.01] if trend == "linear" else []) + [1.0] * sum(p - 1 for p in periods)
    model.ssm.initialize_known(np.zeros(len(variances)), np.diag(variances))
    model.loglikelihood_burn = 0
    model.ssm.tolerance = 0  # else it stops computing covariances that still change


def peer_model(y, trend, periods):
    # A damped level is an autoregression beside noise and no trend at all.
    arguments = {"damped": {"irregular": True, "autoregressive": 1}, "level": {"level": "llevel"},
                 "linear": {"level": "lltrend"}}[trend]
    if periods:
        arguments["seasonal"] = periods[0]
    return UnobservedComponents(y, **arguments)


CASES = [  # trend, periods, variances (noise, level, slope), seasonal variance, damping
    ("level", [], (0.3, 0.05, None), None, None),
    ("linear", [], (0.3, 0.05, 0.002), None, None),
    ("level", [7], (0.2, 0.1, None), 0.01, None),
    ("linear", [4], (0.3, 0.05, 0.002), 0.01, None),
    ("damped", [], (0.4, 0.1, None), None, 0.95),
]


def likelihoods(mbnn, folder):
    rng = np.random.default_rng(7)
    y = np.cumsum(rng.normal(size=400)) * 0.2 + rng.normal(size=400) + np.tile([1, 0, -1, 0], 100)
    y[[0, 50, 51, 52, 399]] = np.nan
    path = os.path.join(folder, "y.csv")
    pd.DataFrame({"t": range(400), "y": y}).to_csv(path, index=False)
    worst = 0
    print("| trend | season | mbnn | statsmodels | difference |\n|---|---|---|---|---|")
    for trend, periods, (noise, level, slope), season, damping in CASES:
        command = [mbnn + "-reproduce", "likelihood", path, "--target", "y", "--trend", trend, "--json",
                   "--noise-variance", str(noise), "--level-variance", str(level)]
        parameters = [noise, level]
        if trend == "linear":
            command += ["--slope-variance", str(slope)]
            parameters.append(slope)
        for period in periods:
            command += ["--season", str(period), "--season-variance", str(season)]
            parameters.append(season)
        if trend == "damped":
            command += ["--damping", str(damping)]
            parameters.append(damping)
        model = peer_model(y, trend, periods)
        known_start(model, trend, periods)
        ours, theirs = answer(*command)["log_likelihood"], model.loglike(parameters)
        worst = max(worst, abs(ours - theirs))
        print(f"| {trend} | {', '.join(map(str, periods)) or 'none'} | {ours:.10f} | {theirs:.10f} | "
              f"{abs(ours - theirs):.1e} |")
    return worst


def filter_times(mbnn, folder, steps):
    rng = np.random.default_rng(8)
    y = np.cumsum(0.1 * rng.normal(size=steps)) + rng.normal(size=steps)
    path = os.path.join(folder, "long.csv")
    pd.DataFrame({"y": y}).to_csv(path, index=False)
    print(f"\n| filter of {steps} steps | mbnn, s | statsmodels, s | ratio |\n|---|---|---|---|")
    for name, periods in (("level", []), ("level and a season of 7", [7])):
        command = [mbnn + "-reproduce", "likelihood", path, "--target", "y", "--json", "--level-variance", "0.01"]
        for period in periods:
            command += ["--season", str(period), "--season-variance", "0.01"]
        ours = min(answer(*command)["seconds"] for _ in range(3))
        model = peer_model(y, "level", periods)
        known_start(model, "level", periods)
        parameters = [1, 0.01] + [0.01] * len(periods)
        model.loglike(parameters)
        begin = time.process_time()
        model.loglike(parameters)
        theirs = time.process_time() - begin
        print(f"| {name} | {ours:.4f} | {theirs:.4f} | {theirs / ours:.1f} |")


def scores(y, mean, sd):
    z = (y - mean) / sd
    cdf = np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in z])
    pdf = np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi)
    crps = sd * (z * (2 * cdf - 1) + 2 * pdf - 1 / math.sqrt(math.pi))
    return {"rmse": math.sqrt(np.mean((y - mean) ** 2)), "nll": float(np.mean(np.log(sd) + 0.5 * z**2) + 0.9189385332),
            "crps": float(np.mean(crps)), "coverage": float(np.mean(np.abs(z) < 1.959964))}


def compare(mbnn, folder, name, path, target, date, train, drop, categorical, season):
    table = pd.read_csv(path)
    fit = os.path.join(folder, "fit.mbnn")
    command = [mbnn, "series", "fit", path, "--target", target, "--date", date, "--train-rows", str(train),
               "--regression", "linear", "--out", fit, "--quiet", "--force", "--threads", "1"]
    if drop:
        command += ["--ignore", ",".join(drop)]
    if categorical:
        command += ["--categorical", ",".join(categorical)]
    if season:
        command += ["--season", str(season)]
    begin = time.monotonic()
    subprocess.run(command, check=True)
    ours_seconds = time.monotonic() - begin
    ours = answer(mbnn, "series", "evaluate", fit, path, "--json", "--quiet")

    y = table[target].to_numpy(float)
    x = pd.get_dummies(table.drop(columns=[target, date] + drop), columns=categorical, drop_first=True).astype(float)
    x = x.loc[:, x.iloc[:train].std() > 0]
    x = (x - x.iloc[:train].mean()) / x.iloc[:train].std()
    begin = time.monotonic()
    arguments = {"level": "llevel", "exog": x.to_numpy()[:train]}
    if season:
        arguments["seasonal"] = season
    result = UnobservedComponents(y[:train], **arguments).fit(disp=False, maxiter=500)
    theirs_seconds = time.monotonic() - begin
    forecast = result.get_forecast(len(y) - train, exog=x.to_numpy()[train:])
    peer = {"forecast": scores(y[train:], forecast.predicted_mean, np.sqrt(forecast.var_pred_mean))}
    arguments["exog"] = x.to_numpy()
    whole = UnobservedComponents(y, **arguments).filter(result.params)
    filtered = whole.filter_results
    peer["nowcast"] = scores(y[train:], filtered.forecasts[0, train:],
                             np.sqrt(filtered.forecasts_error_cov[0, 0, train:]))
    for mode in ("forecast", "nowcast"):
        for who, figures, seconds in (("mbnn", ours[mode], ours_seconds), ("statsmodels", peer[mode], theirs_seconds)):
            print(f"| {name} | {mode} | {who} | {figures['rmse']:.4g} | {figures['nll']:.3f} | {figures['crps']:.4g} | "
                  f"{figures['coverage']:.3f} | {seconds:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mbnn", default="build/mbnn")
    parser.add_argument("--data-dir", default=os.environ.get("MBNN_DATA", ""))
    parser.add_argument("--generated", default="", help="CSV of the generated search volumes")
    parser.add_argument("--steps", type=int, default=100000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        worst = likelihoods(arguments.mbnn, folder)
        filter_times(arguments.mbnn, folder, arguments.steps)
        print("\n| data | mode | program | RMSE | NLL | CRPS | coverage | seconds |\n|---|---|---|---|---|---|---|---|")
        if arguments.generated:
            compare(arguments.mbnn, folder, "search", arguments.generated, "product", "day", 240, [], [], 0)
        if arguments.data_dir:
            series = os.path.join(arguments.data_dir, "series")
            compare(arguments.mbnn, folder, "iclaims", os.path.join(series, "iclaims.csv"), "iclaimsNSA", "date", 300,
                    [], [], 0)
            compare(arguments.mbnn, folder, "bike_day", os.path.join(series, "bike_day.csv"), "cnt", "dteday", 609,
                    ["instant", "casual", "registered", "yr"], ["season", "mnth", "weekday", "weathersit"], 7)
    print(f"\nlargest difference of log-likelihoods: {worst:.1e}")
    sys.exit(1 if worst > 1e-8 else 0)


if __name__ == "__main__":
    main()

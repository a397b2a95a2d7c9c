"""Seconds that statsmodels' Kalman filter takes for 100,000 steps, by model; prints a JSON object. See bench/run."""
import json
import time
import warnings

import numpy as np
import statsmodels
from statsmodels.tsa.statespace.structural import UnobservedComponents

warnings.filterwarnings("ignore")


def seconds(y, variances, **model):
    model = UnobservedComponents(y, **model)
    model.loglike(variances)
    best = float("inf")
    for _ in range(5):
        begin = time.process_time()
        model.loglike(variances)
        best = min(best, time.process_time() - begin)
    return best


rng = np.random.default_rng(1)
y = np.cumsum(0.1 * rng.normal(size=100000)) + rng.normal(size=100000)
print(json.dumps({"statsmodels": statsmodels.__version__,
                  "level": seconds(y, [1, 0.01], level="llevel"),
                  "season": seconds(y, [1, 0.01, 0.01], level="llevel", seasonal=7)}))

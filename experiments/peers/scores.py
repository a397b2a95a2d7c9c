"""Scores of predictive distributions, defined as in mbnn/judge/metrics.h: RMSE of the predictive mean, minus the log
predictive density, CRPS, and whether the central interval holds the answer. All arrays have a row for each test row."""
import numpy as np
from scipy.special import logsumexp, ndtr
from scipy.stats import norm

FIGURES = ["rmse", "nll", "crps", "coverage"]


def mixture_quantile(p, mean, sd):
    """The p-quantile of the equal mixture of normals mean[:, k], sd[:, k], by bisection."""
    reach = norm.ppf(p)
    low, high = (mean + reach * sd).min(axis=1), (mean + reach * sd).max(axis=1)
    for _ in range(200):
        middle = 0.5 * (low + high)
        below = ndtr((middle[:, None] - mean) / sd).mean(axis=1) < p
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return 0.5 * (low + high)


def _expected_absolute(mean, sd):
    """E|X| of X normal."""
    z = mean / sd
    return mean * (2 * ndtr(z) - 1) + 2 * sd * norm.pdf(z)


def mixture_scores(y, mean, sd, level=0.95):
    """The equal mixture of normals mean[:, k], sd[:, k] against the answers y; one column is a single normal."""
    log_density = logsumexp(norm.logpdf(y[:, None], mean, sd), axis=1) - np.log(mean.shape[1])
    spread = np.hypot(sd[:, :, None], sd[:, None, :])
    apart = _expected_absolute(mean[:, :, None] - mean[:, None, :], spread).mean(axis=(1, 2))
    crps = _expected_absolute(y[:, None] - mean, sd).mean(axis=1) - 0.5 * apart
    low, high = (mixture_quantile(p, mean, sd) for p in (0.5 * (1 - level), 0.5 * (1 + level)))
    return {"rmse": np.sqrt(np.mean((y - mean.mean(axis=1)) ** 2)), "nll": -log_density.mean(), "crps": crps.mean(),
            "coverage": np.mean((low <= y) & (y <= high))}


def quantile_scores(y, centre, levels, quantiles, least_gap):
    """A piecewise-linear quantile function through (levels[k], quantiles[:, k]) with exponential tails.

    Crossing quantiles are put in order, and no two lie closer than least_gap, since the density of a bin is its
    probability over its width. A tail has the probability beyond the outermost level and continues the density of
    the bin beside it. The interval is between the outermost levels. centre is the point prediction.
    """
    levels = np.asarray(levels)
    q = np.sort(quantiles, axis=1)
    for k in range(1, q.shape[1]):
        q[:, k] = np.maximum(q[:, k], q[:, k - 1] + least_gap)
    width, mass = np.diff(q, axis=1), np.diff(levels)
    below, above = levels[0], 1 - levels[-1]
    low_scale, high_scale = below * width[:, 0] / mass[0], above * width[:, -1] / mass[-1]

    bin_of = np.clip((y[:, None] >= q).sum(axis=1) - 1, 0, len(mass) - 1)
    rows = np.arange(len(y))
    log_density = np.log(mass[bin_of] / width[rows, bin_of])
    low, high = y < q[:, 0], y > q[:, -1]
    log_density[low] = (np.log(below / low_scale) - (q[:, 0] - y) / low_scale)[low]
    log_density[high] = (np.log(above / high_scale) - (y - q[:, -1]) / high_scale)[high]

    # CRPS = 2 * integral over t of the pinball loss of the t-quantile; midpoints of 4000 equal steps.
    t = (np.arange(4000) + 0.5) / 4000
    crps = np.zeros(len(y))
    for i in rows:
        line = np.interp(t, levels, q[i])
        line = np.where(t < levels[0], q[i, 0] + low_scale[i] * np.log(t / below), line)
        line = np.where(t > levels[-1], q[i, -1] - high_scale[i] * np.log((1 - t) / above), line)
        crps[i] = 2 * np.mean((y[i] - line) * (t - (y[i] < line)))
    return {"rmse": np.sqrt(np.mean((y - centre) ** 2)), "nll": -log_density.mean(), "crps": crps.mean(),
            "coverage": np.mean(~low & ~high)}

"""Prints the reference values in tests/judge/convergence_test.cpp, from the definitions alone (Vehtari et al. 2021).

Deliberately naive: ranks by counting, autocovariances by double loops over all lags, Geyer's sequences as lists of
pairs. It shares no code and no shortcuts with mbnn/diagnose/convergence.cpp. Needs only the standard library.
"""
from math import floor, log10, sqrt
from statistics import NormalDist, fmean, median, stdev, variance


def integer_chains(chains, length, modulus, memory, shift):
    """Autoregressive integers from a linear congruential generator: the same in every language."""
    state, result = 1, []
    for m in range(chains):
        value, chain = 0, []
        for _ in range(length):
            state = (1103515245 * state + 12345) % 2**31
            value = int(memory * value / 10) + (state // 2**16) % modulus
            chain.append(value + shift * m)
        result.append(chain)
    return result


def split(chains):
    half = len(chains[0]) // 2
    return [part for chain in chains for part in (chain[:half], chain[-half:])]


def z_scale(chains):
    every = [x for chain in chains for x in chain]

    def score(x):
        rank = sum(y < x for y in every) + (sum(y == x for y in every) + 1) / 2
        return NormalDist().inv_cdf((rank - 3 / 8) / (len(every) + 1 / 4))

    return [[score(x) for x in chain] for chain in chains]


def fold(chains):
    centre = median([x for chain in chains for x in chain])
    return [[abs(x - centre) for x in chain] for chain in chains]


def rhat(chains):
    n = len(chains[0])
    between = n * variance([fmean(chain) for chain in chains])
    within = fmean([variance(chain) for chain in chains])
    return sqrt(((n - 1) / n * within + between / n) / within)


def ess(chains):
    m, n = len(chains), len(chains[0])
    within = fmean([variance(chain) for chain in chains])
    var_plus = (n - 1) / n * within + variance([fmean(chain) for chain in chains])

    def autocovariance(chain, lag):
        mean = fmean(chain)
        return sum((chain[i] - mean) * (chain[i + lag] - mean) for i in range(n - lag)) / n

    rho = [1.0] + [1 - (within - fmean([autocovariance(c, t) for c in chains])) / var_plus for t in range(1, n)]
    pairs = [rho[2 * k] + rho[2 * k + 1] for k in range(1 + max(0, (n - 3) // 2))]
    # The sum runs over the positive pairs before the first that is not positive, or before the last one there is;
    # of the pair that stops it, the even lag counts once if positive (as in Stan and ArviZ).
    stop = next((k for k, pair in enumerate(pairs) if pair <= 0), len(pairs) - 1)
    monotone = [min(pairs[: k + 1]) for k in range(stop)]
    tau = -1 + 2 * sum(monotone) + max(rho[2 * stop], 0)
    return m * n / max(tau, 1 / log10(m * n))


def quantile(values, p):
    values = sorted(values)
    position = p * (len(values) - 1)
    k = floor(position)
    return values[k] + (position - k) * (values[min(k + 1, len(values) - 1)] - values[k])


def summary(chains):
    every = [x for chain in chains for x in chain]
    indicators = [[[float(x <= quantile(every, p)) for x in chain] for chain in chains] for p in (0.05, 0.95)]
    return {
        "rhat": max(rhat(z_scale(split(chains))), rhat(z_scale(fold(split(chains))))),
        "ess_bulk": ess(z_scale(split(chains))),
        "ess_tail": min(ess(split(indicator)) for indicator in indicators),
        "mcse_mean": stdev(every) / sqrt(ess(split(chains))),
        "mean": fmean(every),
        "sd": stdev(every),
    }


if __name__ == "__main__":
    for arguments in [(3, 41, 10, 5, 0), (4, 200, 1000, 8, 0), (4, 200, 1000, 8, 800), (2, 60, 1000, -6, 0),
                      (1, 12, 100, 0, 0), (2, 4, 100, 0, 0)]:
        print(arguments, {name: float(f"{value:.12g}") for name, value in summary(integer_chains(*arguments)).items()})

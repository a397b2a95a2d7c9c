"""The exact mixture, against formulas by hand and against its own samples."""
import numpy as np
import pytest
from scipy.stats import norm

from conftest import TINY
from mbnn import MBNNRegressor, PredictiveDistribution

pytestmark = pytest.mark.filterwarnings("ignore::mbnn.ConvergenceWarning")


@pytest.fixture
def mixtures():
    """Two rows, three draws, and a wide part of probability 0.1."""
    means = np.array([[0.0, 1.0, 3.0], [-5.0, -5.5, -4.0]])
    sds = np.array([[0.5, 1.0, 0.2], [5.0, 10.0, 2.0]])
    return PredictiveDistribution(means, sds, np.array([[0.3] * 3, [1 / 30] * 3]))


def components(mixtures):
    """(rows, components) of weights, means and sds."""
    means = np.tile(mixtures.means, (1, len(mixtures.sds)))
    return mixtures.weights.ravel(), means, mixtures.sds.ravel()


def test_answers_are_those_of_the_formulas(mixtures):
    w, m, s = components(mixtures)
    y = np.array([0.7, -6.0])
    mean = (w * m).sum(axis=1)
    assert np.allclose(mixtures.mean(), mean)
    assert np.allclose(mixtures.std() ** 2, (w * (s**2 + m**2)).sum(axis=1) - mean**2)
    assert np.allclose(mixtures.cdf(y), (w * norm.cdf(y[:, None], m, s)).sum(axis=1))
    assert np.allclose(np.exp(mixtures.logpdf(y)), (w * norm.pdf(y[:, None], m, s)).sum(axis=1))
    grid = np.linspace(-80, 80, 320001)  # crps = integral of (F - 1[x >= y])^2; the grid's step is 0.0005
    for row in range(2):
        below = (w * norm.cdf(grid[:, None], m[row], s)).sum(axis=1) - (grid >= y[row])
        assert np.isclose(mixtures.crps(y)[row], (below**2).sum() * 5e-4, atol=5e-4)


def test_quantiles_invert_the_cdf_and_never_cross(mixtures):
    levels = np.array([0.001, 0.025, 0.5, 0.9, 0.9999])
    quantiles = mixtures.ppf(levels)
    assert quantiles.shape == (2, 5)
    assert np.allclose(mixtures.cdf(quantiles), levels[None, :], atol=1e-9)
    assert (np.diff(quantiles, axis=1) > 0).all()
    assert np.array_equal(mixtures.ppf(0.5), quantiles[:, 2])
    assert np.allclose(mixtures.interval(0.95), mixtures.ppf([0.025, 0.975]), rtol=1e-12)


def test_samples_follow_the_law(mixtures):
    n = 20000
    samples = mixtures.sample(n, random_state=7)
    assert samples.shape == (2, n)
    # a mean and a share in standard errors; two rows and three points: a false alarm in 1e5
    assert (abs(samples.mean(axis=1) - mixtures.mean()) < 4.9 * mixtures.std() / np.sqrt(n)).all()
    for level in (0.05, 0.5, 0.99):
        share = (samples < mixtures.ppf(level)[:, None]).mean(axis=1)
        assert (abs(share - level) < 4.9 * np.sqrt(level * (1 - level) / n)).all()
    # rows of one sample share their network: the second row's means are as far apart as its samples show
    assert np.array_equal(mixtures.sample(5, random_state=7), mixtures.sample(5, random_state=7))
    assert mixtures.sample(3, np.random.RandomState(1)).shape == (2, 3)


def test_samples_of_one_column_share_their_network():
    far = PredictiveDistribution([[0.0, 100.0], [0.0, 100.0]], [[1.0, 1.0]])
    samples = far.sample(200, random_state=1)
    assert ((samples[0] > 50) == (samples[1] > 50)).all()
    assert 50 < (samples[0] > 50).sum() < 150


def test_rows_can_be_chosen(mixtures):
    assert np.array_equal(mixtures[1].mean(), mixtures.mean()[1:])
    assert np.array_equal(mixtures[[True, False]].std(), mixtures.std()[:1])
    assert len(mixtures[:0]) == 0


@pytest.mark.parametrize("wrong, message", [
    (lambda d: d.ppf(0), "p = 0"), (lambda d: d.ppf([0.5, 1.5]), "p = 1.5"), (lambda d: d.interval(1), "level = 1"),
    (lambda d: d.cdf([1, 2, 3]), "one for each of 2 rows"), (lambda d: d.ppf([[0.5]]), "one level or a list"),
    (lambda d: d.cdf("a"), "could not convert"), (lambda d: d.sample(-1), "negative"),
    (lambda d: PredictiveDistribution([[1.0]], [[1.0, 2.0]]), "expected means"),
    (lambda d: PredictiveDistribution([[1.0]], [[-1.0]]).mean(), "predictive sd")])
def test_refuses_what_makes_no_sense(mixtures, wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong(mixtures)


def test_estimators_answer_as_their_law_does():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + 0.2 * rng.normal(size=300)
    model = MBNNRegressor(**TINY).fit(X, y)
    law = model.predict_dist(X)
    mean, sd = model.predict(X, return_std=True)
    assert np.array_equal(mean, model.predict(X))
    assert np.allclose(mean, law.mean(), rtol=1e-13) and np.allclose(sd, law.std(), rtol=1e-13)
    assert np.allclose(model.predict_interval(X, 0.8), law.interval(0.8), rtol=1e-9)
    assert np.allclose(model.predict_quantiles(X, [0.1, 0.5]), law.ppf([0.1, 0.5]), rtol=1e-9)
    assert np.array_equal(model.predict_quantiles(X, 0.5), model.predict_quantiles(X, [0.5])[:, 0])
    assert np.array_equal(model.predict_draws(X), law.means.T)
    assert model.predict_draws(X).shape == (model.n_draws_, 300)
    assert model.sample_predictive(X, 3, random_state=1).shape == (300, 3)
    # 95% intervals of training rows: a binomial of 300, and a fit that is not perfect
    inside = ((law.interval()[:, 0] < y) & (y < law.interval()[:, 1])).mean()
    assert 0.88 < inside
    with pytest.raises(ValueError, match="far outside"):
        model.predict(np.full((2, 2), 1e38))

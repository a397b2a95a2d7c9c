"""scikit-learn's own checks, and its tools at work on the estimators."""
import pickle
import warnings

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_dataframe_column_names_consistency, parametrize_with_checks

from conftest import TINY
from mbnn import MBNNClassifier, MBNNRegressor

pytestmark = pytest.mark.filterwarnings("ignore::mbnn.ConvergenceWarning")
SHORT = {**TINY, "chains": 1, "warmup": 20, "draws": 10}


@parametrize_with_checks([MBNNRegressor(**SHORT), MBNNClassifier(**SHORT)])
def test_passes_all_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [MBNNRegressor(**SHORT), MBNNClassifier(**SHORT)])
def test_keeps_the_names_of_columns(estimator):
    check_dataframe_column_names_consistency("MBNN", estimator)  # not among the checks above


def data(n=60):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 2))
    return X, X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=n)


def test_a_search_over_options():
    X, y = data()
    grid = {"lambda_": [0.1, "auto"], "weight_prior": ["cauchy:0.3", "normal:1"]}
    search = GridSearchCV(MBNNRegressor(**SHORT), grid, cv=2).fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_estimator_.lambda_ == search.best_params_["lambda_"]
    assert search.best_score_ > 0.8  # of a line with a noise of 0.1; a constant has 0


def test_in_a_pipeline_and_in_processes():
    X, y = data()
    model = make_pipeline(StandardScaler(), MBNNRegressor(**SHORT, n_jobs=1))
    alone = cross_val_score(model, X, y, cv=3)
    with joblib.parallel_backend("loky", n_jobs=2):
        assert np.array_equal(cross_val_score(model, X, y, cv=3, n_jobs=2), alone)


def test_the_same_seed_gives_the_same_bits_with_any_threads():
    X, y = data()
    means = [MBNNRegressor(**TINY, random_state=seed, n_jobs=jobs).fit(X, y).predict(X)
             for seed, jobs in [(None, 1), (1, 2), (2, 1)]]
    assert np.array_equal(means[0], means[1])  # None is the seed 1
    assert not np.array_equal(means[0], means[2])
    states = [MBNNRegressor(**SHORT, random_state=np.random.RandomState(5)).fit(X, y).predict(X) for _ in range(2)]
    assert np.array_equal(*states)


def test_pickles_and_clones():
    X, y = data()
    model = MBNNRegressor(**TINY, n_jobs=1).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.predict(X), model.predict(X))
    assert joblib.hash(copy.fit_) == joblib.hash(model.fit_)
    assert copy.resume(draws=5).n_draws_ == model.n_draws_ + 10
    assert not hasattr(clone(model), "fit_")


@pytest.mark.parametrize("labels", [
    np.array(["no", "yes"]), np.array([False, True]), np.array([3, 7]), np.array([-1.0, 2.0]),
    np.array(["10", "9"]),  # sorted by their letters here, by value in the library
    np.array([2, "a"], object).astype(str)])
def test_classes_are_those_of_y(labels):
    X, y = data()
    y = labels[(y > 0).astype(int)]
    model = MBNNClassifier(**TINY).fit(X, y)
    assert np.array_equal(model.classes_, np.unique(labels))
    assert model.classes_.dtype == labels.dtype
    assert model.score(X, y) > 0.9
    p = model.predict_proba(X)
    assert np.allclose(p.sum(axis=1), 1)
    draws = model.predict_draws(X)
    assert draws.shape == (model.n_draws_, len(X), 2)
    assert np.allclose(draws.mean(axis=0), p, atol=1e-12)
    # 4000 samples of a row: 4.5 standard errors of a share, over 60 rows
    share = (model.sample_predictive(X, 4000, random_state=0) == model.classes_[1]).mean(axis=1)
    assert (abs(share - p[:, 1]) <= 4.5 * np.sqrt(p[:, 1] * (1 - p[:, 1]) / 4000) + 1e-9).all()


def test_three_classes_and_the_methods_of_comparison():
    X, y = data(90)
    y = np.digitize(y, [-0.7, 0.7])
    for options in ({**TINY}, {"method": "logistic"}, {"method": "ns-vi", "epochs": 50, "hidden": (10,)}):
        model = MBNNClassifier(**options).fit(X, y)
        assert model.predict_proba(X).shape == (90, 3)
        assert np.array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))
        assert model.score(X, y) > 0.6  # a third if nothing was learnt


def test_documents_name_every_argument():
    for estimator in (MBNNRegressor, MBNNClassifier):
        for name in estimator().get_params():
            assert f"\n{name} : " in estimator.__doc__


def test_warns_when_it_is_not_to_be_trusted():
    X, y = data()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = MBNNRegressor(**SHORT).fit(X, y)
    assert not model.diagnosis_["trustworthy"]
    serious = [f for f in model.diagnosis_["findings"] if f["level"] == "serious"]
    assert [str(w.message) for w in caught] == ["{what}. It means: {meaning}. Try: {advice}.".format(**serious[0])]
    assert caught[0].filename == __file__

"""Progress, interruptions and several fits at once."""
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import mbnn
from conftest import TINY
from mbnn import ConvergenceWarning, MBNNRegressor
from test_command_line import draws_of

LONG = {**TINY, "warmup": 20, "draws": 100000}  # minutes, if nobody stops it
CUT = {**TINY, "thin": 30, "draws": 300}  # a second or two


def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2))
    return X, X[:, 0] + 0.1 * rng.normal(size=60)


def interrupt_when(holds):
    """A report that presses Ctrl-C once."""
    pressed = []

    def report(status):
        if holds(status) and not pressed:
            pressed.append(True)
            os.kill(os.getpid(), signal.SIGINT)
    return report


@pytest.mark.filterwarnings("ignore::mbnn.ConvergenceWarning")
def test_reports_come_from_the_calling_thread():
    seen = []
    MBNNRegressor(**TINY, verbose=lambda status: seen.append((threading.current_thread(), status))).fit(*data())
    assert {thread for thread, _ in seen} == {threading.current_thread()}
    last = {status["chain"]: status for _, status in seen}
    assert set(last) == {0, 1}
    for status in last.values():
        assert status["phase"] == "finished" and status["done"] == status["length"] == 50
        assert len(status["widths"]) == 2 and status["figures"]


@pytest.mark.filterwarnings("ignore::mbnn.ConvergenceWarning")
def test_a_bar_ends_where_the_fit_does(capsys):
    MBNNRegressor(**TINY, verbose=1).fit(*data())
    assert "100/100" in capsys.readouterr().err
    MBNNRegressor(**TINY).fit(*data())
    assert capsys.readouterr().err == ""


def test_ctrl_c_gives_the_draws_so_far_and_resume_goes_on(tmp_path):
    X, y = data()
    model = MBNNRegressor(**CUT, verbose=interrupt_when(lambda status: status["done"] > 100))
    with pytest.warns(ConvergenceWarning, match="interrupted after .* of 600 draws"):
        model.fit(X, y)
    assert model.interrupted_ and 0 < model.n_draws_ < 600
    assert model.predict(X).shape == (60,)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="interrupted")
        model.set_params(verbose=False).resume()
    assert not model.interrupted_ and model.n_draws_ == 600
    whole = MBNNRegressor(**CUT).fit(X, y, path=tmp_path / "whole.mbnn")
    assert draws_of(model.fit_.path) == draws_of(whole.fit_.path)


def test_ctrl_c_before_the_first_draw_is_an_interrupt(tmp_path):
    X, y = data()
    model = MBNNRegressor(**{**TINY, "warmup": 100000}, verbose=interrupt_when(lambda status: status["done"] > 0))
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.n_draws_ == 0 and model.diagnosis_ is None
    with pytest.raises(ValueError, match="resume"):
        model.predict(X)


def test_a_report_that_fails_ends_the_fit():
    def report(status):
        raise RuntimeError("enough")
    start = time.monotonic()
    with pytest.raises(RuntimeError, match="enough"):
        MBNNRegressor(**LONG, verbose=report).fit(*data())
    assert time.monotonic() - start < 30


@pytest.mark.filterwarnings("ignore::mbnn.ConvergenceWarning")
def test_two_fits_in_two_threads_run_at_once(tmp_path):
    X, y = data()
    alone = MBNNRegressor(**TINY).fit(X, y).predict(X)
    both, results = threading.Barrier(2, timeout=60), {}

    def work(name):
        met = []

        def report(status):  # each waits within its fit for the other one's
            if not met:
                met.append(both.wait())
        results[name] = MBNNRegressor(**TINY, verbose=report).fit(X, y).predict(X)
    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.array_equal(results["a"], alone) and np.array_equal(results["b"], alone)


@pytest.mark.filterwarnings("ignore::mbnn.ConvergenceWarning")
def test_other_threads_run_while_a_fit_samples():
    ticks, ended = [], threading.Event()

    def tick():
        while not ended.wait(0.005):
            ticks.append(time.monotonic())
    ticker = threading.Thread(target=tick)
    ticker.start()
    start = time.monotonic()
    MBNNRegressor(**CUT).fit(*data())
    stop = time.monotonic()
    ended.set()
    ticker.join()
    # were they kept waiting, there would be a tick before and one behind; a busy machine may lose most of the others
    assert sum(start < t < stop for t in ticks) > 0.1 * (stop - start) / 0.005


def test_a_signal_from_outside_ends_a_script(tmp_path):
    """Without any report, while all the work is in threads of the library."""
    script = f"""
import numpy as np, mbnn, warnings
x = np.linspace(-1, 1, 60)
print("ready", flush=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    fit = mbnn.fit({{"x": x, "y": x**2}}, {str(tmp_path / 'fit.mbnn')!r}, target="y", **{LONG!r})
print(fit.summary()["draws"], caught[0].message)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:  # until there are draws
        time.sleep(0.2)
        if (tmp_path / "fit.mbnn").exists() and mbnn.load(tmp_path / "fit.mbnn").summary()["draws"] > 0:
            break
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    draws, message = out.split(maxsplit=1)
    assert int(draws) > 0 and "interrupted after" in message
    assert process.returncode == 0


@pytest.mark.filterwarnings("ignore::mbnn.ConvergenceWarning")
def test_temporary_files_go_with_their_fits():
    model = MBNNRegressor(**TINY).fit(*data())
    path = model.fit_.path
    assert os.path.exists(path)
    del model
    assert not os.path.exists(os.path.dirname(path))

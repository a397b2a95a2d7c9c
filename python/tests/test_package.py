"""The package as pip installs it, without a network."""
import os
import subprocess
import sys

import pytest


@pytest.mark.skipif("MBNN_BUILD_DIR" not in os.environ, reason="MBNN_BUILD_DIR does not name the build")
def test_a_wheel_installs_and_works(tmp_path):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-cache-dir"]
    offline = ["--no-build-isolation", "--no-index", "--no-deps", "-q"]
    subprocess.run([*pip, "wheel", *offline, "-w", tmp_path / "wheels", root], check=True, cwd=tmp_path)
    wheel, = (tmp_path / "wheels").iterdir()
    subprocess.run([*pip, "install", *offline, "--target", tmp_path / "site", wheel], check=True, cwd=tmp_path)
    script = ("import mbnn, numpy as np; x = np.arange(30.0); print(mbnn.__file__); "
              "print(mbnn.MBNNRegressor(method='ns-vi', epochs=5, hidden=4).fit(x[:, None], x).n_draws_)")
    result = subprocess.run([sys.executable, "-W", "ignore", "-c", script], cwd=tmp_path, check=True, text=True,
                            capture_output=True, env={**os.environ, "PYTHONPATH": str(tmp_path / "site")})
    assert result.stdout.splitlines() == [str(tmp_path / "site" / "mbnn" / "__init__.py"), "100"]
    listed = subprocess.run(["git", "status", "--porcelain", "--ignored", "*.egg-info", "python"], cwd=root, text=True,
                            capture_output=True).stdout
    assert "egg-info" not in listed

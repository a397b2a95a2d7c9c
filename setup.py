"""Builds the package by CMake, in a build that is there already if there is one: see docs/python.md."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


def build_directory() -> Path:
    """MBNN_BUILD_DIR; else that of the release preset, if it was used; else one of its own."""
    if "MBNN_BUILD_DIR" in os.environ:
        return Path(os.environ["MBNN_BUILD_DIR"]).resolve()
    shared = ROOT / "build"
    return shared if (shared / "CMakeCache.txt").exists() else ROOT / "build-python"


BUILD = build_directory()


class BuildByCMake(build_ext):
    def build_extension(self, extension: Extension) -> None:
        cache = BUILD / "CMakeCache.txt"
        python = f"-DPython_EXECUTABLE={getattr(sys, '_base_executable', sys.executable)}"
        if not cache.exists():
            options = ["-DMBNN_BUILD_APP=OFF", "-DMBNN_BUILD_TESTS=OFF", "-DMBNN_BUILD_PYTHON=ON", python]
            subprocess.run(["cmake", "--preset", "release", "-B", BUILD, *options], cwd=ROOT, check=True)
        elif "MBNN_BUILD_PYTHON:BOOL=ON" not in cache.read_text():
            subprocess.run(["cmake", BUILD, "-DMBNN_BUILD_PYTHON=ON", python], check=True)
        subprocess.run(["cmake", "--build", BUILD, "--target", "mbnn_python"], check=True)
        made, wanted = BUILD / "python" / "mbnn", Path(self.get_ext_fullpath(extension.name))
        wanted.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made / wanted.name, wanted)


BUILD.mkdir(exist_ok=True)
setup(
    version=re.search(r"project\(mbnn VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1],
    package_dir={"": "python"},
    packages=["mbnn"],
    package_data={"mbnn": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("mbnn._core", [])],
    cmdclass={"build_ext": BuildByCMake},
    # What setuptools leaves behind stays out of the sources.
    options={"egg_info": {"egg_base": str(BUILD)}, "build": {"build_base": str(BUILD / "setuptools")}},
)

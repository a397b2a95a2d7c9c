"""The programs of docs/python.md and README.md run, one behind the other in one directory."""
import re
import runpy
import sys
from pathlib import Path

import pytest

from conftest import TINY

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
@pytest.mark.filterwarnings("ignore::mbnn.ConvergenceWarning")
def test_programs_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["make_data.py", "."])
    runpy.run_path(str(ROOT / "examples" / "houses" / "make_data.py"), run_name="__main__")
    programs = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert programs
    for program in programs:  # of the size that tests can afford
        program = re.sub(r"(MBNN\w+)\(", rf"\1(**{TINY!r}, ", program)
        program = program.replace('target="price"', f'target="price", **{TINY!r}')
        exec(compile(program, page, "exec"), {})
    assert capsys.readouterr().out

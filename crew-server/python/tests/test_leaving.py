"""The end of a process, tested in separate processes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

_HOST = Path(__file__).parent.parent

_IDLE_POOL = """
import atexit
from concurrent.futures import ThreadPoolExecutor
from crew_host.crewai.leaving import leave

pool = ThreadPoolExecutor()
pool.submit(print, "work").result()
atexit.register(print, "at exit")
print("leaves", flush=True)
leave(3)
"""


def test_threads_of_a_pool_that_wait_for_work_do_not_hold_it_up() -> None:
    with subprocess.Popen([sys.executable, "-c", _IDLE_POOL], cwd=_HOST, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert [next(process.stdout), next(process.stdout)] == ["work\n", "leaves\n"]
        began = time.monotonic()
        assert process.stdout.read() == "at exit\n"
        assert process.wait() == 3
    assert time.monotonic() - began < 2


_OPEN_FILES = """
import gc, os, sys
from crew_host.crewai.leaving import leave, note_open_files

early = open(sys.argv[1], "a")
early.write("imported ")
note_open_files()
gc.freeze()
for _ in range(2):
    if os.fork() == 0:
        late = open(sys.argv[2], "ab")
        early.write("worked ")
        late.write(b"worked ")
        leave(0)
    os.wait()
os._exit(0)
"""


def test_writes_what_open_files_hold_once(tmp_path: Path) -> None:
    files = [tmp_path / "early.txt", tmp_path / "late.txt"]
    subprocess.run([sys.executable, "-c", _OPEN_FILES, *map(str, files)], cwd=_HOST, check=True)
    assert [one.read_text() for one in files] == ["imported worked worked ", "worked worked "]

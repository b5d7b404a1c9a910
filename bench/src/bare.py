"""A crew in one bare process, without any server: what the crew server is measured beside.

bare.py <project>: says when it has imported the project. Each line of standard input is a number of kickoffs at once;
it answers with the seconds that they took.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TESTING="true", CREWAI_DISABLE_VERSION_CHECK="true")
project = Path(sys.argv[1])
os.chdir(project)
os.environ["CREWAI_STORAGE_DIR"] = str(project / "bare-storage")
sys.path[:0] = [str(project / "src")]
told = os.fdopen(os.dup(1), "w")
sys.stdout = open(os.devnull, "w")

import dotenv  # noqa: E402

dotenv.load_dotenv(project / ".env", override=True)
from tea_guide.crew import TeaGuide  # noqa: E402

print("imported", file=told, flush=True)


def run(_: int) -> None:
    TeaGuide().crew().kickoff(inputs={"topic": "Tea", "audience": "all"})


for line in sys.stdin:
    count = int(line)
    begin = time.monotonic()
    with ThreadPoolExecutor(count) as threads:
        list(threads.map(run, range(count)))
    print(time.monotonic() - begin, file=told, flush=True)
os._exit(0)

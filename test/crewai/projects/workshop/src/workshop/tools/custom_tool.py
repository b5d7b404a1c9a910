"""Tools that do what a server has to bear."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from crewai.tools import tool


@tool("measure")
def measure(what: str) -> str:
    """Measures something."""
    return f"{what} is 7 inches long"


@tool("broken")
def broken() -> str:
    """Is broken."""
    raise RuntimeError(f"The saw is broken, says {os.environ['WORKSHOP_PASSWORD']}")


@tool("starts")
def starts() -> str:
    """Starts processes that take long, in sessions of their own: one that does not end when told to, and an orphan."""
    ignore = "trap '' TERM; echo ready; while :; do sleep 1; done"
    stubborn = subprocess.Popen(["sh", "-c", ignore], start_new_session=True, stdout=subprocess.PIPE)
    stubborn.stdout.readline()
    leaving = subprocess.Popen(["sh", "-c", "sleep 600 & echo $!"], start_new_session=True, stdout=subprocess.PIPE)
    orphan = leaving.stdout.readline().decode().strip()
    leaving.wait()
    Path("pids.txt").write_text(f"{os.getpid()} {os.getppid()} {stubborn.pid} {orphan}\n")
    return "started"


@tool("slow")
def slow() -> str:
    """Takes long, and so do the processes that it starts."""
    starts.func()
    time.sleep(600)
    return "done"


@tool("hoards")
def hoards() -> str:
    """Holds 300 megabytes, beside what it starts."""
    starts.func()
    held = b"x" * 300_000_000
    time.sleep(600)
    return f"{len(held)} bytes"


@tool("chatty")
def chatty() -> str:
    """Prints ten megabytes."""
    for _ in range(10_000):
        print("x" * 1_023)
    return "printed"


@tool("asks")
def asks() -> str:
    """Asks at the terminal."""
    return input("How long? ")


@tool("leaves")
def leaves() -> str:
    """Calls sys.exit."""
    sys.exit(4)


@tool("dies")
def dies() -> str:
    """Ends its process."""
    print(f"last words, with {os.environ['WORKSHOP_PASSWORD']}")
    os._exit(7)


@tool("killed")
def killed() -> str:
    """Is killed as the system does when memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


@tool("environment")
def environment() -> str:
    """Tells all variables."""
    return "\n".join(f"{name}={value}" for name, value in os.environ.items())


TOOLS = [measure, broken, starts, slow, hoards, chatty, asks, leaves, dies, killed, environment]

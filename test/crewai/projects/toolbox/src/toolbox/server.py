"""A server of tools that goes on when its input ends, and when it is told to end."""

import os
import signal
import time
from pathlib import Path

from mcp.server.fastmcp import FastMCP

server = FastMCP("toolbox")


@server.tool()
def weigh(what: str) -> str:
    """Weighs something."""
    return f"{what} weighs 7 grams"


if __name__ == "__main__":
    with Path("servers.txt").open("a") as file:
        file.write(f"{os.getpid()}\n")
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    server.run()
    while True:
        time.sleep(60)

"""``python crew-server/python``: the host; with ``--child``, a child that imports on its own."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    if sys.version_info < (3, 10):
        # Nothing of the host can be read by an older Python; it tells by its exit code.
        sys.exit(3)
    # Only the host's own modules come from here; the project has its own path.
    from crew_host.main import main

    sys.path.pop(0)
    main(sys.argv[1:])

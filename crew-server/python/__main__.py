"""``python crew-server/python``: the host; with ``--child``, a child that imports on its own."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    if sys.version_info < (3, 10):
        # An older Python cannot even read the host's code, so the exit code says that it is too old.
        sys.exit(3)
    # Only the host's own modules come from here; the project has its own path.
    from crew_host.main import main

    sys.path.pop(0)
    main(sys.argv[1:])

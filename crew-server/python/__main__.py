"""``python crew-server/python``: the host; with ``--child``, a child that imports on its own."""

import sys

if __name__ == "__main__":
    if sys.version_info < (3, 10):
        # It cannot even read the host's code.
        import json
        import os

        advice = "Make an environment with one of them in the project's folder, or name another Python with --python."
        message = "The Python " + sys.executable + " is too old for CrewAI: it needs 3.10 to 3.13. " + advice
        os.write(3, (json.dumps({"type": "refused", "message": message}) + "\n").encode())
        sys.exit(1)
    # Only the host's own modules come from here; the project has its own path.
    from crew_host.main import main

    sys.path.pop(0)
    main(sys.argv[1:])

"""A process ends once its server has not been heard of for as long as it may work."""

from __future__ import annotations

import threading
import time

from crew_host.wire.lease import Lease


def test_ends_when_it_was_extended_last() -> None:
    ended = threading.Event()
    begun = time.monotonic()
    lease = Lease(ended.set)
    lease.extend(0.1)
    lease.extend(0.3)
    assert ended.wait(10)
    assert time.monotonic() - begun >= 0.3


def test_ends_at_once_if_it_is_over_already() -> None:
    ended = threading.Event()
    Lease(ended.set).extend(-1)
    assert ended.wait(10)

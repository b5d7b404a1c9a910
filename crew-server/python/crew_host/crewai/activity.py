"""Knows whether a crew is still working, on its own thread or on that of an asynchronous task."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from .. import seams


class Activity:
    """Counts the threads that do a crew's work.

    Args:
        leave: Ends the process. Called when all threads wait for a person, with the error if one has failed.
    """

    def __init__(self, leave: Callable[[BaseException | None], None]) -> None:
        self._leave = leave
        self._lock = threading.RLock()
        self._running = 1
        self._asking = 0
        self._failure: BaseException | None = None

    def watch(self, crew: Any) -> None:
        """Counts what a crew does."""
        await_tasks = seams.TASKS_AT_ONCE.of(crew)

        def await_tasks_counted(*given: Any, **named: Any) -> Any:
            with self.waiting():
                return await_tasks(*given, **named)

        seams.TASKS_AT_ONCE.replace(crew, await_tasks_counted)
        for task in crew.tasks:
            if task.async_execution:
                self._watch_task(task)

    def is_last(self) -> bool:
        """Whether the caller's is the only work that is going on."""
        return self._running == 1

    @contextmanager
    def waiting(self, asks: bool = False) -> Iterator[None]:
        """Notes that the caller is waiting: for a person, if it asks."""
        with self._lock:
            self._asking += asks
            self._change(-1)
        try:
            yield
        finally:
            with self._lock:
                self._asking -= asks
                self._change(1)

    def _watch_task(self, task: Any) -> None:
        execute = seams.EXECUTE_ASYNC.of(task)

        def finished(future: Future[Any]) -> None:
            with self._lock:
                self._failure = self._failure or future.exception()
                self._change(-1)

        def execute_counted(*given: Any, **named: Any) -> Future[Any]:
            with self._lock:
                self._change(1)
            future: Future[Any] = execute(*given, **named)
            future.add_done_callback(finished)
            return future

        seams.EXECUTE_ASYNC.replace(task, execute_counted)

    def _change(self, by: int) -> None:
        self._running += by
        if self._running == 0 and self._asking > 0:
            self._leave(self._failure)

"""A crew's process ends once all its work waits for a person, and no sooner."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from crew_host.crewai.activity import Activity


class Task:
    """A task whose work the test does."""

    def __init__(self, async_execution: bool = True) -> None:
        self.async_execution = async_execution
        self.future: Future[str] = Future()

    def execute_async(self) -> Future[str]:
        return self.future


class Crew:
    """The parts of a crew that are watched."""

    def __init__(self, *tasks: Task) -> None:
        self.tasks = tasks

    def _process_async_tasks(self, futures: list[Future[str]]) -> None:
        for future in futures:
            future.exception(timeout=10)


def in_thread(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


class Watched:
    """A watched crew, and how its process was told to end."""

    def __init__(self, *tasks: Task) -> None:
        self.left: list[BaseException | None] = []
        self.gone = threading.Event()
        self.activity = Activity(self._leave)
        self.crew: Any = Crew(*tasks)
        self.activity.watch(self.crew)

    def _leave(self, failure: BaseException | None) -> None:
        self.left.append(failure)
        self.gone.set()


def test_leaves_when_the_only_task_asks() -> None:
    watched = Watched(Task(async_execution=False))
    assert watched.activity.is_last()
    with watched.activity.waiting(asks=True):
        assert watched.left == [None]


def test_stays_as_long_as_another_task_is_worked_on() -> None:
    first, second = Task(), Task()
    watched = Watched(first, second)
    futures = [task.execute_async() for task in watched.crew.tasks]
    main = in_thread(lambda: watched.crew._process_async_tasks(futures))
    with watched.activity.waiting(asks=True):
        assert watched.left == []
        second.future.set_result("done")
        assert watched.gone.wait(10)
    first.future.set_result("done")
    main.join(10)
    assert watched.left == [None]


def test_tells_what_another_task_has_failed_of() -> None:
    first, second = Task(), Task()
    watched = Watched(first, second)
    futures = [task.execute_async() for task in watched.crew.tasks]
    main = in_thread(lambda: watched.crew._process_async_tasks(futures))
    failure = ValueError("broken")
    with watched.activity.waiting(asks=True):
        second.future.set_exception(failure)
        assert watched.gone.wait(10)
    first.future.set_exception(failure)
    main.join(10)
    assert watched.left[0] is failure


def test_does_not_leave_when_nobody_asks() -> None:
    task = Task()
    watched = Watched(task)
    future = task.execute_async()
    main = in_thread(lambda: watched.crew._process_async_tasks([future]))
    task.future.set_result("done")
    main.join(10)
    assert watched.left == []
    assert watched.activity.is_last()

"""A small Dask cluster for tests, with the settings that the documentation recommends."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

SETTINGS = {
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
    "distributed.worker.profile.enabled": False,
    # On a busy machine, a process may take long to start and must not be given up. A client that connects to
    # a worker while it is killed waits as long, so this is at most a minute.
    "distributed.comm.timeouts.connect": "1 minute",
    "distributed.comm.timeouts.tcp": "5 minutes",
    "distributed.deploy.lost-worker-timeout": "10 minutes",
}
PATIENCE = 300
"""Seconds before a test gives up on a worker, far more than starting one takes on any machine."""

_SHARED = pytest.StashKey[Any]()


@contextmanager
def local_cluster(*, workers: int = 2, **settings: Any) -> Iterator[Any]:
    """Run workers with one thread each, in separate processes."""
    import dask
    import distributed

    with (
        dask.config.set({**SETTINGS, **settings}),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            protocol="tcp",
            memory_limit=None,  # regardless of other memory usage on this machine
            silence_logs=logging.CRITICAL,  # broken connections to killed workers are expected
        ) as found,
    ):
        yield found


def shared_cluster(config: pytest.Config) -> Any:
    """Return the cluster of this test run, which is started on first use and stopped at the end.

    It is not a fixture, because every test file that imports a fixture has its own.
    """
    if _SHARED not in config.stash:
        with ExitStack() as stack:
            config.stash[_SHARED] = stack.enter_context(local_cluster())
            config.add_cleanup(stack.pop_all().close)
    return config.stash[_SHARED]


def die_once(marker: Path) -> None:
    """End the worker that calls this, unless one has already done so and left a file."""
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def losing_a_worker(cluster: Any) -> Iterator[None]:
    """Wait until a worker has been lost and, afterwards, until there are as many workers as before."""
    before = _workers(cluster)
    yield
    deadline = time.monotonic() + PATIENCE
    while before <= (now := _workers(cluster)) or len(now) < len(before):
        assert time.monotonic() < deadline, f"no worker was lost and replaced: {before}, and now {now}"
        time.sleep(0.02)


def _workers(cluster: Any) -> set[str]:
    """Return names of the workers that the scheduler knows; each new process has a new name."""
    return {worker.server_id for worker in list(cluster.scheduler.workers.values())}

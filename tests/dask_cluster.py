"""A small Dask cluster for tests, with the settings that the documentation advises."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SETTINGS = {
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
    "distributed.worker.profile.enabled": False,
}


@contextmanager
def local_cluster(*, workers: int = 2, **settings: Any) -> Iterator[Any]:
    """Run workers of one thread each, in processes of their own."""
    import dask
    import distributed

    with (
        dask.config.set({**SETTINGS, **settings}),
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, protocol="tcp"
        ) as found,
    ):
        yield found

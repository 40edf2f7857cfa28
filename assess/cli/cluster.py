"""`--engine dask`: which cluster to use."""

from __future__ import annotations

from assess.api.cluster import ClusterRequest
from assess.errors import UsageError, visible


def cluster_of(engine: str, scheduler: str | None, ship: bool | None = None) -> ClusterRequest | None:
    """Return the Dask cluster to use, or None for this machine."""
    if engine not in ("local", "dask"):
        raise UsageError(f"--engine is local or dask, not '{visible(engine, 40)}'")
    if engine == "dask" and not scheduler:
        hint = "add --scheduler tcp://HOST:8786, the address that `dask scheduler` shows"
        raise UsageError("--engine dask needs the address of a scheduler", hint=hint)
    if engine == "local" and scheduler:
        raise UsageError("--scheduler has a meaning only with --engine dask", hint="add --engine dask")
    if engine == "local" and ship is not None:
        message = "--ship and --no-ship have a meaning only with --engine dask"
        raise UsageError(message, hint="add --engine dask and --scheduler ADDRESS, or leave it out")
    return ClusterRequest(scheduler, ship) if scheduler else None

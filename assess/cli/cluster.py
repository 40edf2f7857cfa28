"""`--engine dask`: which cluster to use, and who reads the files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assess.errors import UsageError, visible

if TYPE_CHECKING:
    from assess.engine.annotating import Workers
    from assess.engine.cluster_reading import ClusterReading
    from assess.engine.dask_client import DaskCluster
    from assess.pipeline import Settings
    from assess.taxonomy import Taxonomy


@dataclass(frozen=True, slots=True)
class ClusterRequest:
    """The address of a Dask scheduler; and whether files are read here, there, or where it can be done."""

    address: str
    ship: bool | None = None

    def connect(self) -> DaskCluster:
        """Connect to the cluster."""
        from assess.engine.dask_client import DaskCluster

        return DaskCluster(self.address)


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


def annotating_workers(cluster: DaskCluster | None, model: str | None) -> Workers | None:
    """Return workers that annotate what is read here."""
    if cluster is None:
        return None
    from assess.engine.dask_workers import DaskWorkers

    return DaskWorkers(model, cluster.address, cluster=cluster)


def reading_workers(
    cluster: DaskCluster | None,
    taxonomy: Taxonomy,
    settings: Settings,
    *,
    cache: bool,
    request: ClusterRequest | None,
) -> ClusterReading | None:
    """Return workers that read files and count labels; None where all is read here."""
    if cluster is None or request is None or request.ship:
        return None
    from assess.engine.cluster_reading import ClusterReading

    return ClusterReading(
        cluster,
        taxonomy,
        model=settings.model,
        join_of=settings.join_of,
        after=settings.after,
        cache=cache,
        ship=request.ship,
    )

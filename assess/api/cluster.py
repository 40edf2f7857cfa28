"""A Dask cluster to use, and who reads the files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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

"""A Dask cluster to use, and who reads the files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assess.engine.dask import DaskCluster


@dataclass(frozen=True, slots=True)
class ClusterRequest:
    """The address of a Dask scheduler; and whether files are read here, there, or where it can be done."""

    address: str
    ship: bool | None = None

    def connect(self) -> DaskCluster:
        """Connect to the cluster."""
        from assess.engine.dask import DaskCluster

        return DaskCluster(self.address)

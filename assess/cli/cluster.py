"""`--engine dask`: which cluster to use."""

from __future__ import annotations

from dataclasses import dataclass

from assess.api.cluster import ClusterRequest
from assess.cli import options
from assess.errors import UsageError, visible


@dataclass(frozen=True)
class ClusterOptions:
    """Where the work runs."""

    engine: options.Engine = "local"
    scheduler: options.Scheduler = None
    ship: options.Ship = None

    def request(self) -> ClusterRequest | None:
        """Return the Dask cluster to use, or None for this machine."""
        if self.engine not in ("local", "dask"):
            raise UsageError(f"--engine is local or dask, not '{visible(self.engine, 40)}'")
        if self.engine == "dask" and not self.scheduler:
            hint = "add --scheduler tcp://HOST:8786, the address that `dask scheduler` shows"
            raise UsageError("--engine dask needs the address of a scheduler", hint=hint)
        if self.engine == "local" and self.scheduler:
            raise UsageError("--scheduler has a meaning only with --engine dask", hint="add --engine dask")
        if self.engine == "local" and self.ship is not None:
            message = "--ship and --no-ship have a meaning only with --engine dask"
            raise UsageError(message, hint="add --engine dask and --scheduler ADDRESS, or leave it out")
        return ClusterRequest(self.scheduler, self.ship) if self.scheduler else None


HERE = ClusterOptions()
"""This machine."""

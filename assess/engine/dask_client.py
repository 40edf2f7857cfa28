"""The connection to a Dask cluster that is already running."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assess.errors import MissingPartError, UsageError, visible

CONNECT_SECONDS = 30
LIVES = 3  # workers that a task may end and be tried again, unless the scheduler's settings say otherwise


class DaskCluster:
    """A client of a scheduler that has workers."""

    def __init__(self, scheduler: str) -> None:
        self.address = scheduler
        self.distributed = _import_distributed()
        self.client = self._connect()

    @property
    def threads(self) -> int:
        """How many tasks the workers do at the same time."""
        return sum(self.client.nthreads().values())

    def blind_worker(self, sizes: dict[str, int]) -> str | None:
        """Return a worker that does not see all of these files, with these sizes; None if all workers do."""
        try:
            seen: dict[str, bool] = self.client.run(sees_files, sizes)
        except Exception as error:
            raise unable(error) from error
        return next((worker for worker, sees in seen.items() if not sees), None)

    def close(self) -> None:
        """Leave the cluster. It goes on running."""
        self.client.close()

    def _connect(self) -> Any:
        try:
            client = self.distributed.Client(
                self.address, timeout=CONNECT_SECONDS, set_as_default=False, name="assess"
            )
        except (OSError, TimeoutError, ValueError) as error:
            hint = "start one with `dask scheduler`, and give the address that it shows"
            message = f"no Dask scheduler answers at '{visible(self.address)}'"
            raise UsageError(message, hint=hint) from error
        if not client.nthreads():
            client.close()
            message = f"the Dask scheduler at '{visible(self.address)}' has no workers"
            raise UsageError(message, hint=f"start one with `dask worker {self.address}`")
        return client


def unable(error: Exception) -> UsageError:
    """Return the error for work that did not even begin: all that goes wrong in it has errors of its own."""
    message = f"the cluster cannot do this work: {type(error).__name__}: {visible(str(error), 300)}"
    hint = "is the same version of assess installed on all workers, and is the scheduler still there?"
    return UsageError(message, hint=hint)


def sees_files(sizes: dict[str, int]) -> bool:
    """Tell, on a worker, whether files are there and have these sizes."""
    try:
        return all(Path(path).stat().st_size == size for path, size in sizes.items())
    except OSError:
        return False


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        message = "--engine dask needs Dask, which is not installed"
        raise MissingPartError(message, hint="pip install 'assess[dask]'") from error
    return distributed

"""Engines, which run the work in this process, in a pool of processes, or on a cluster."""

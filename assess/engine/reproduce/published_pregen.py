"""What Tanti et al. (2018) publish: the best pre-gen metrics of each post-gen metric, over all data sets."""

from __future__ import annotations

POST = ("METEOR", "CIDEr", "SPICE", "WMD")
DATASETS = ("mscoco", "flickr30k", "flickr8k", "all")

# Names, and R² as in the correlation files of the authors' repository.
TOP_5: dict[str, tuple[tuple[str, float], ...]] = {
    "METEOR": (
        ("mean_max_normcount_prefix0", 0.9649),
        ("mean_mean_normcount_prefix0", 0.9389),
        ("mean_join_normcount_prefix0", 0.9389),
        ("mean_sum_normcount_prefix0", 0.9388),
        ("mean_mean_count_prefix0", 0.9084),
    ),
    "CIDEr": (
        ("mean_max_normcount_prefix0", 0.9372),
        ("mean_mean_normcount_prefix0", 0.9299),
        ("mean_join_normcount_prefix0", 0.9299),
        ("mean_sum_normcount_prefix0", 0.9299),
        ("mean_min_count_filter0", 0.8926),
    ),
    "SPICE": (
        ("mean_max_normcount_prefix0", 0.9501),
        ("mean_mean_normcount_prefix0", 0.9174),
        ("mean_join_normcount_prefix0", 0.9174),
        ("mean_sum_normcount_prefix0", 0.9172),
        ("geomean_min_pplx_filter0", 0.8934),
    ),
    "WMD": (
        ("mean_max_normcount_prefix0", 0.9542),
        ("mean_mean_normcount_prefix0", 0.9297),
        ("mean_join_normcount_prefix0", 0.9297),
        ("mean_sum_normcount_prefix0", 0.9295),
        ("mean_join_count_prefix0", 0.8855),
    ),
}

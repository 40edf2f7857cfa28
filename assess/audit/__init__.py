"""Of whom captions say what: groups, honest statistics, gates, and people's ratings."""

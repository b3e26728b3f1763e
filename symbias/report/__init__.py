"""Reports: the whole job on real data."""

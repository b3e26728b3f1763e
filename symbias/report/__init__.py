"""The report on the whole paper: every statement checked, real data, and the paper's experiments as figures."""

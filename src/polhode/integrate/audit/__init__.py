"""The ledger of a motion, and the bounds that it is held against."""

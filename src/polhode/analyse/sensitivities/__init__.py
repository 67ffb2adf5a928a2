"""How motions depend on numbers: derivatives, identification, uncertainty."""

"""Questions that equations answer: reactions, powers, balances, Coriolis matrices."""

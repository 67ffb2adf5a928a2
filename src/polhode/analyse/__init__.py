"""Questions about equations and motions, answered exactly and explained."""

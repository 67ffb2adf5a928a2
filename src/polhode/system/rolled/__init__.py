"""Large systems as loops over tables: one code for each kind of joint and action."""

"""Functions given by data: tables of one variable and of two."""

"""Runge-Kutta methods: explicit pairs, collocation at Gauss's and Radau's points."""

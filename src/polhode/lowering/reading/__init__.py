"""Reading: the scalar program evaluated in a polynomial ring, and written as SymPy.

ring         Laurent polynomials over symbols and generators, reduced as they multiply
constants    rationals, square roots and multiples of pi recovered from doubles
functions    sines, roots, exponentials, reciprocals as generators with their relations
evaluation   the walk through the scalar program
symbols      SymPy expressions into the ring
fractions    common denominators, and what cancels
angles       sums of products of sines and cosines in their shortest form
shape        the textbook's form of a polynomial
"""

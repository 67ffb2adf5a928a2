"""Reading: the scalar program evaluated in a polynomial ring, and written as SymPy.

ring         Laurent polynomials over symbols and generators, reduced as they multiply
constants    rationals, square roots and multiples of pi recovered from doubles
division     exact division, and irreducible factors
functions    sines, roots, exponentials, reciprocals as generators with their relations
evaluation   the walk through the scalar program
symbols      SymPy expressions into the ring
fractions    common denominators, and what cancels
waves        sines and cosines: squares, sums of angles, Fourier series
angles       sums of products of sines and cosines in their shortest form
nesting      common factors taken out of sums
writing      generators, monomials and conditions as SymPy
shape        the textbook's form of a polynomial
"""

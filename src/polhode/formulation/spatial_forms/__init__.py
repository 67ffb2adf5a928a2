"""The four spatial forms of a body's equations, and the choices of their C.

`transfer` goes from point to point, `forms` has the four forms of one body, `choices`
the Coriolis dyadics, `stacked` many bodies, `spatial_form` the form of a whole system.
"""

"""What acts on spacecraft: gravity of planets, air, sunlight, magnetism, thrusters.

Every action here has a body (or several) acted upon and a point `by`, the centre of the
planet. The axes of that point's frame do not turn; its Z is the planet's pole.
"""

"""A hammer from solids: its mass centre, its inertia, and what is refused.

Run it: python examples/02_a_body_and_its_inertia.py
"""

# %% A body is matter with a name. Solids are joined, each part under its own name.

import numpy as np

import polhode as ph

shaft = ph.solids.cylinder(radius=0.012, length=0.3, density=700.0)
head = ph.solids.box(x=0.10, y=0.03, z=0.03, density=7850.0)
whole = ph.solids.joined(shaft=shaft, head=ph.solids.placed(head, (0, 0, 0.15)))
hammer = ph.Body("hammer", whole)

print(f"mass {hammer.mass:.3f} kg")
print("mass centre", np.round(hammer.moments().centre, 4), "m")

# %% Inertia is about a point. Huygens: the hand at the end of the shaft feels more.

hand = ph.Point(hammer.frame, (0, 0, -0.15), "hand")
about_centre = hammer.inertia
about_hand = ph.inertia.transport(about_centre, hand)
for name, inertia in (("mass centre", about_centre), ("hand", about_hand)):
    print(f"moments about the {name}:", np.round(np.diag(inertia), 6), "kg m^2")

# %% Principal axes, ascending. The middle one is where a thrown hammer turns over.

principal = ph.inertia.principal(about_centre)
print("principal moments", np.round(principal.moments, 6))

# %% Every number has a name, so that it can vary, be swept or be read as a symbol.

print("parameters:", ", ".join(p.name for p in hammer.parameters[:3]), "...")

# %% What no spread of mass can have is refused, with the reason.

try:
    ph.Body.from_inertia("wheel", mass=1.0, inertia=(2.0, 1.0, 5.0))
except ph.PolhodeError as refusal:
    print(f"{type(refusal).__name__}: {refusal.what}")

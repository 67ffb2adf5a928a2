"""What acts on bodies: laws that give a force at a point or a couple on a body.

Kernels are functions of plain arrays; nouns are frozen and know their bodies. An action
gives the wrenches on all bodies it joins, so the third law holds by construction.
"""

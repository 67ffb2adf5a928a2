"""Ropes, belts, gears, cams and shafts: what joins the motions of machine parts."""

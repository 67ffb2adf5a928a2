"""The doors: methods that open a higher room than their own.

A noun may carry a one-line method that imports a higher room inside its body, such as
`motion.show()`. Every one is listed here, and the test of imports knows the list.
"""

# "module:Class.method" -> the room it opens.
DOORS: dict[str, str] = {
    "polhode.analyse.continuation:Branches.plot": "show",
    "polhode.analyse.modes:Modes.plot": "show",
    "polhode.formulation.compare:Comparison._repr_html_": "show",
    "polhode.formulation.compare:Comparison.plot": "show",
    "polhode.formulation.equations:Equations._repr_html_": "show",
    "polhode.formulation.read:Reading.picture": "show",
    "polhode.geometry.rotation:Rotation._repr_html_": "show",
    "polhode.integrate.ledger:Ledger._repr_html_": "show",
    "polhode.integrate.trajectory:Trajectory._repr_html_": "show",
    "polhode.integrate.trajectory:Trajectory.film": "show",
    "polhode.integrate.trajectory:Trajectory.page": "show",
    "polhode.integrate.trajectory:Trajectory.picture": "show",
    "polhode.integrate.trajectory:Trajectory.plot": "show",
    "polhode.integrate.trajectory:Trajectory.show": "show",
    "polhode.system.system:System._repr_html_": "show",
}

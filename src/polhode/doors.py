"""The doors: methods that open a higher room than their own.

A noun may carry a one-line method that imports a higher room inside its body, such as
`motion.show()`. Every one is listed here, but `plot`, which every answer of `analyse`
has; the test of imports knows both.
"""

# "module:Class.method" -> the room it opens.
DOORS: dict[str, str] = {
    "polhode.analyse.sensitivities.identify:Identified.confidence": "show",
    "polhode.analyse.linear.state_space:Response.nyquist": "show",
    "polhode.analyse.linear.modes:Modes.film": "show",
    "polhode.analyse.linear.modes:Modes.page": "show",
    "polhode.analyse.linear.modes:Modes.show": "show",
    "polhode.double:_doubled": "lowering",
    "polhode.formulation.compare:Comparison.plot": "show",
    "polhode.formulation.equations:Equations._repr_html_": "show",
    "polhode.formulation.reading.contact_reading:ContactReading._repr_html_": "show",
    "polhode.formulation.reading.positions:ReadPositions._repr_html_": "show",
    "polhode.formulation.reading.read:Reading._repr_html_": "show",
    "polhode.formulation.reading.read:Reading.picture": "show",
    "polhode.geometry.rotations.rotation:Rotation._repr_html_": "show",
    "polhode.integrate.storage.model_text:read": "files",
    "polhode.integrate.storage.model_text:model_toml": "files",
    "polhode.integrate.results.sweep_result:Sweep.page": "show",
    "polhode.integrate.results.sweep_result:Sweep.plot": "show",
    "polhode.integrate.results.trajectory:Trajectory._repr_html_": "show",
    "polhode.integrate.results.trajectory:Trajectory.film": "show",
    "polhode.integrate.results.trajectory:Trajectory.measured": "show",
    "polhode.integrate.results.trajectory:Trajectory.page": "show",
    "polhode.integrate.results.trajectory:Trajectory.picture": "show",
    "polhode.integrate.results.trajectory:Trajectory.plot": "show",
    "polhode.integrate.results.trajectory:Trajectory.report": "show",
    "polhode.integrate.results.trajectory:Trajectory.show": "show",
    "polhode.system.system:System._repr_html_": "show",
    "polhode.system.system:System.loaded": "formulation",
}


def is_door(place: str) -> bool:
    """Whether a method, "module:Class.method", may open a higher room."""
    is_plot = place.startswith("polhode.analyse.") and place.endswith(".plot")
    return is_plot or place in DOORS

"""The doors: methods that open a higher room than their own.

A noun may carry a one-line method that imports a higher room inside its body, such as
`motion.show()`. Every one is listed here, and the test of imports knows the list.
"""

# "module:Class.method" -> the room it opens.
DOORS: dict[str, str] = {"polhode.analyse.modes:Modes.plot": "show"}

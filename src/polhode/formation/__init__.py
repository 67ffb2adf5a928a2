"""Formation: spacecraft among spacecraft, and the orbits they are on."""

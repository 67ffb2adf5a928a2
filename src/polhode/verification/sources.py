"""The publications that problems are from."""

from __future__ import annotations

from polhode.verification.problem import Source

ANDREWS = Source(
    "Hairer and Wanner", "Solving Ordinary Differential Equations II", 1996
)
BASILISK = Source("CU Boulder", "Basilisk, unit tests", 2023)
CHAPLYGIN = Source("Chaplygin", "On the theory of motion of nonholonomic systems", 1911)
CHENCINER = Source(
    "Chenciner and Montgomery",
    "A remarkable periodic solution of the three-body problem",
    2000,
)
CLOHESSY = Source(
    "Clohessy and Wiltshire", "Terminal guidance system for satellite rendezvous", 1960
)
CORIOLIS = Source("Coriolis", "Théorie mathématique des effets du jeu de billard", 1835)
CRAIG = Source("Craig", "Introduction to Robotics", 1989)
CVODE = Source("LLNL", "SUNDIALS, examples", 2021)
DEN_HARTOG = Source("Den Hartog", "Mechanical Vibrations", 1956)
DRAKE = Source("Drake", "multibody/benchmarks/free_body", 2019)
EULER = Source("Euler", "De motu rectilineo trium corporum", 1767)
FOUCAULT = Source("Foucault", "Démonstration physique du mouvement de la Terre", 1851)
FOUCAULT_1852 = Source(
    "Foucault", "Sur les phénomènes d'orientation des corps tournants", 1852
)
GARWIN = Source("Garwin", "Kinematics of an ultraelastic rough ball", 1969)
GASCHEAU = Source("Gascheau", "Examen d'une classe d'équations différentielles", 1843)
GOLDSTEIN = Source("Goldstein, Poole and Safko", "Classical Mechanics, 3rd ed.", 2002)
GORYACHEV = Source(
    "Goryachev", "On the motion of a rigid body about a fixed point", 1900
)
GTOP = Source("ESA", "GTOP, in the unit tests of tudat", 2012)
HAIRER = Source(
    "Hairer, Nørsett and Wanner", "Solving Ordinary Differential Equations I", 1993
)
HUGHES = Source("Hughes", "Spacecraft Attitude Dynamics", 1986)
HUYGENS = Source("Huygens", "Horologium oscillatorium", 1673)
IFTOMM = Source("IFToMM", "Library of computational benchmark problems", 2014)
IMLAY = Source(
    "Imlay", "The complete expressions for added mass of a rigid body, DTMB 1528", 1961
)
KEPLER = Source("Kepler", "Astronomia nova", 1609)
KIRCHHOFF = Source(
    "Kirchhoff", "Über die Bewegung eines Rotationskörpers in einer Flüssigkeit", 1870
)
KOVALEVSKAYA = Source(
    "Kowalevski", "Sur le problème de la rotation d'un corps solide", 1889
)
KLEIN = Source("Klein and Sommerfeld", "Über die Theorie des Kreisels", 1897)
LAGRANGE = Source("Lagrange", "Essai sur le problème des trois corps", 1772)
LAMB = Source("Lamb", "The inertia coefficients of an ellipsoid, R&M 623", 1918)
LANDAU = Source("Landau and Lifshitz", "Mechanics, 3rd ed.", 1976)
MERIAM = Source("Meriam and Kraige", "Engineering Mechanics: Dynamics", 1997)
MEIJAARD = Source(
    "Meijaard, Papadopoulos, Ruina and Schwab",
    "Linearized dynamics equations for the balance and steer of a bicycle",
    2007,
)
MELMAN = Source("Melman", "Propagate, in the unit tests of tudat", 2012)
MORIN = Source("Morin", "Introduction to Classical Mechanics", 2008)
NASA = Source(
    "NASA NESC",
    "Check-cases for verification of 6-degree-of-freedom flight vehicle simulations",
    2015,
)
NEIMARK = Source("Neimark and Fufaev", "Dynamics of Nonholonomic Systems", 1972)
NEWTON = Source("Newton", "Philosophiae naturalis principia mathematica", 1687)
ODTBX = Source("NASA Goddard", "ODTBX, in the unit tests of tudat", 2012)
POINSOT = Source("Poinsot", "Théorie nouvelle de la rotation des corps", 1834)
RAO = Source("Rao", "Mechanical Vibrations", 1995)
RAYLEIGH = Source("Rayleigh", "The Theory of Sound", 1877)
ROUTH = Source("Routh", "Dynamics of a System of Rigid Bodies, advanced part", 1884)
ROUTH_ELEMENTARY = Source(
    "Routh", "Dynamics of a System of Rigid Bodies, elementary part", 1882
)
SUSLOV = Source("Suslov", "Theoretical Mechanics", 1902)
SYMPY = Source("SymPy", "physics.mechanics, tests", 2023)
TEST_SET = Source("Mazzia and Magherini", "Test Set for IVP Solvers", 2008)
TIMOSHENKO = Source("Timoshenko", "Vibration Problems in Engineering", 1937)
TUDAT = Source("TU Delft", "tudat, unit tests", 2014)
TUFILLARO = Source(
    "Tufillaro", "Integrable motion of a swinging Atwood's machine", 1986
)
WITTENBURG = Source("Wittenburg", "Dynamics of Systems of Rigid Bodies", 1977)
ZIEGLER = Source("Ziegler", "Die Stabilitätskriterien der Elastomechanik", 1952)

BERNOULLI = Source(
    "Bernoulli", "Theoremata de oscillationibus corporum filo flexili connexorum", 1738
)
BLOCH = Source("Bloch", "Nonholonomic Mechanics and Control", 2003)
GINSBERG = Source("Ginsberg", "Engineering Dynamics", 2008)
GREENWOOD = Source("Greenwood", "Principles of Dynamics", 1988)
IRODOV = Source("Irodov", "Problems in General Physics", 1981)
LIKINS = Source("Likins", "Attitude stability criteria for dual spin spacecraft", 1967)
MACMILLAN = Source(
    "MacMillan", "An integrable case in the restricted problem of three bodies", 1911
)
MILNE = Source("Milne", "Vectorial Mechanics", 1948)
SPONG = Source("Spong and Vidyasagar", "Robot Dynamics and Control", 1989)
WHITTAKER = Source("Whittaker", "Analytical Dynamics", 1904)
WILLIS = Source("Willis", "Principles of Mechanism", 1841)
ABRAMOWITZ = Source("Abramowitz and Stegun", "Handbook of Mathematical Functions", 1964)
DEN_HARTOG_MECHANICS = Source("Den Hartog", "Mechanics", 1948)
LANDAU_FIELDS = Source("Landau and Lifshitz", "The Classical Theory of Fields", 1975)
MARION = Source(
    "Marion and Thornton", "Classical Dynamics of Particles and Systems", 1995
)
BELETSKY = Source(
    "Beletsky", "Motion of an Artificial Satellite about its Center of Mass", 1966
)
BENNETT = Source("Bennett", "A new mechanism, Engineering 76, 777", 1903)
CHAPLYGIN_BALL = Source("Chaplygin", "On a ball's rolling on a horizontal plane", 1903)
KANE = Source("Kane and Levinson", "Dynamics: Theory and Applications", 1985)
PEAUCELLIER = Source(
    "Peaucellier", "Note sur une question de géométrie de compas", 1873
)
SARRUS = Source(
    "Sarrus", "Note sur la transformation des mouvements rectilignes alternatifs", 1853
)
YO_YO = Source(
    "Fedor", "Theory and design curves for a yo-yo de-spin mechanism, TN D-708", 1961
)
HOHMANN = Source("Hohmann", "Die Erreichbarkeit der Himmelskörper", 1925)
WATT = Source("Watt", "Parallel motion, letters and patent no. 1432", 1784)

"""Polyhedra are exact, and surfaces that enclose nothing are refused."""

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.errors import DegenerateMesh, FileError, ModelError
from polhode.matter import solids
from strategies_geometry import generators, rotation_matrix

CUBE = (
    np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float) - 0.5
)
FACES = np.array(
    [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]
)  # fmt: skip


def box_mesh(x=1.0, y=1.0, z=1.0, shift=(0, 0, 0)):
    return CUBE * (x, y, z) + shift, FACES


BOX, SIDES = box_mesh()
FLAT = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)


@pytest.mark.row("I-20")
@given(generators)
def test_a_box_of_triangles_is_a_box(rng):
    """Volume, centre and inertia are exact, wherever the box is and however turned."""
    sides, R, shift = (
        rng.uniform(0.1, 3, 3),
        rotation_matrix(rng),
        rng.normal(size=3) * 5,
    )
    vertices, faces = box_mesh(*sides)
    solid = solids.mesh((vertices @ R.T + shift, faces), density=1.7)
    x, y, z = sides
    box = solids.placed(solids.box(density=1.7, x=x, y=y, z=z), shift, R)
    for ours, exact in zip(solid.moments(), box.moments(), strict=True):
        assert_close(ours, exact, rtol=1e-12)


@given(generators)
def test_one_tetrahedron_is_itself(rng):
    """Four triangles and the closed form agree."""
    corners = rng.normal(size=(4, 3))
    if np.linalg.det(corners[1:] - corners[0]) < 0:
        corners = corners[[1, 0, 2, 3]]
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    mesh = solids.mesh((corners, faces), density=2.0).moments()
    exact = solids.tetrahedron(corners=corners, density=2.0).moments()
    for ours, truth in zip(mesh, exact, strict=True):
        assert_close(ours, truth, rtol=1e-11)


def test_regular_solids_meet_their_closed_forms():
    """Octahedron m a^2/10, icosahedron (3 + sqrt 5) m a^2/20 about every axis."""
    import trimesh

    edges = np.vstack([np.eye(3), -np.eye(3)])
    octahedron = trimesh.Trimesh(edges).convex_hull
    ours = solids.mesh((octahedron.vertices, octahedron.faces), mass=1.0).moments()
    assert_close(ours.inertia, np.eye(3) * 2 / 10, rtol=1e-12)
    ball = trimesh.creation.icosahedron()
    side = np.linalg.norm(
        ball.vertices[ball.edges[0, 0]] - ball.vertices[ball.edges[0, 1]]
    )
    ours = solids.mesh((ball.vertices, ball.faces), mass=1.0).moments()
    exact = (3 + np.sqrt(5)) / 20 * side**2
    assert_close(ours.inertia, np.eye(3) * exact, rtol=1e-12)


def test_a_prism_is_its_extrusion():
    """An extruded triangle and its closed surface agree to rounding."""
    outline = np.array([[0, 0], [2, 0], [0.5, 1.0]])
    h = 0.7
    low = np.column_stack([outline, -h / 2 * np.ones(3)])
    vertices = np.vstack([low, low + np.array([0, 0, h])])
    sides = [[i, (i + 1) % 3, 3 + (i + 1) % 3] for i in range(3)]
    sides += [[i, 3 + (i + 1) % 3, 3 + i] for i in range(3)]
    faces = np.array([[0, 2, 1], [3, 4, 5], *sides])
    mesh = solids.mesh((vertices, faces), density=1.0).moments()
    exact = solids.extrusion(outline=outline, height=h, density=1.0).moments()
    for ours, truth in zip(mesh, exact, strict=True):
        assert_close(ours, truth, rtol=1e-12, atol=1e-15)


def test_a_cavity_is_a_closed_part_that_faces_inwards():
    """A box with an inward box inside is the difference of both."""
    outer, inner = box_mesh(2, 2, 2), box_mesh(1, 1, 1)
    vertices = np.vstack([outer[0], inner[0]])
    faces = np.vstack([outer[1], inner[1][:, ::-1] + 8])
    hollow = solids.mesh((vertices, faces), density=1.0).moments()
    exact = solids.pierced(
        solids.box(density=1.0, x=2, y=2, z=2),
        hole=solids.box(density=1.0, x=1, y=1, z=1),
    ).moments()
    assert_close(hollow.mass, 7.0)
    assert_close(hollow.inertia, exact.inertia)


def test_a_part_inside_out_that_is_no_cavity_is_refused():
    """A small box facing inwards beside a large one is no hole in it."""
    vertices = np.vstack([BOX * 2, BOX * 0.5 + [5, 0, 0]])
    faces = np.vstack([SIDES, SIDES[:, ::-1] + 8])
    with pytest.raises(DegenerateMesh, match=r"from \(4.75, -0.25, -0.25\) to"):
        solids.mesh((vertices, faces), mass=1.0)
    beside = np.vstack([SIDES, SIDES + 8])
    assert_close(solids.mesh((vertices, beside), density=1.0).moments().mass, 8.125)


@pytest.mark.parametrize("ending", ["stl", "obj", "ply", "off"])
def test_meshes_are_read_from_files(tmp_path, ending):
    """STL repeats corners and the others share them: the same solid comes out."""
    import trimesh

    path = tmp_path / f"block.{ending}"
    vertices, faces = box_mesh(0.5, 1, 2, (1, 2, 3))
    trimesh.Trimesh(vertices, faces, process=False).export(path)
    solid = solids.mesh(path, mass=2.0)
    small = solids.mesh(path, mass=2.0, scale=1e-3)
    assert_close(small.moments().inertia, solid.moments().inertia * 1e-6, rtol=1e-12)
    exact = solids.placed(solids.box(mass=2.0, x=0.5, y=1, z=2), (1, 2, 3)).moments()
    assert_close(solid.moments().inertia, exact.inertia, rtol=1e-12)
    assert_close(solid.moments().centre, exact.centre, rtol=1e-12)
    assert solid.dimensions["vertices"].shape == (8, 3)


@pytest.mark.parametrize(
    ("vertices", "faces", "words"),
    [
        (BOX, SIDES[1:], "is open: 3 of its edges"),
        (BOX, np.vstack([SIDES[1:], SIDES[:1, ::-1]]), "is open"),
        (BOX, SIDES[:, ::-1], "is inside out: its volume is -1 m"),
        (FLAT, [[0, 1, 2], [0, 2, 1]], "has no volume"),
        (BOX * [1, 1, 0], SIDES, "has no volume|is open|is not a surface"),
        (BOX, np.vstack([SIDES, SIDES]), "more than two triangles"),
        (np.where(BOX > 0, np.nan, BOX), SIDES, "not finite"),
        (BOX, SIDES + 1, "names a vertex that it has not"),
        (BOX[:, :2], SIDES, "not a mesh of triangles"),
    ],
)
def test_degenerate_meshes_are_refused(vertices, faces, words):
    """Open, turned, flat, doubled, broken: each is told apart."""
    with pytest.raises(DegenerateMesh, match=words):
        solids.mesh((vertices, np.asarray(faces)), mass=1.0)


def test_files_that_are_no_mesh_are_refused(tmp_path):
    """A missing file, a strange ending and a broken file name the file."""
    with pytest.raises(FileError, match=r"cannot read a mesh from 'none.stl'"):
        solids.mesh(tmp_path / "none.stl", mass=1.0)
    with pytest.raises(FileError, match="Meshes come as"):
        solids.mesh("model.docx", mass=1.0)
    broken = tmp_path / "broken.stl"
    broken.write_bytes(b"solid nothing")
    with pytest.raises((FileError, DegenerateMesh), match=r"broken\.stl"):
        solids.mesh(broken, mass=1.0)


def test_a_mesh_without_triangles_says_so():
    """Nothing is no surface."""
    nothing = (np.zeros((3, 3)), np.array([[0, 1, 2]]))
    with pytest.raises(DegenerateMesh, match="no triangles"):
        solids.mesh(nothing, mass=1)


@pytest.mark.parametrize("source", [None, 3.0, np.zeros((4, 3))])
def test_a_mesh_is_a_file_or_a_pair(source):
    """Anything else is refused with what to give."""
    with pytest.raises(ModelError, match="a mesh cannot be made of"):
        solids.mesh(source, mass=1)

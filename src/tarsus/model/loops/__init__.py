"""Kinematic loops in minimal coordinates, worked out while a model is made.

One word a concept: the *conditions* of a loop joint (`conditions`) are grouped into *subsystems* that share joints
(`subsystems`), each *solved* by Newton's method on the spanning tree (`solver`, `spanning_tree`) from a closed
*reference* (`reference`). A *closure* (`closure`) says how dependent joints follow from the *independents*
(`independents`); with one independent joint it has a *path* (`path`): a line, the closed form of a four-bar
(`four_bar`) or a table (`path_table`). `reduction` puts all of it together; `inexact`, `idle_spin` and `leader_limits`
treat what real files bring along; `tree_coordinates` is the result: all joint coordinates from the independent ones.
"""

"""Robots of the literature as models of our own, each with its provenance in its docstring."""

from tarsus.robots.coil import coil
from tarsus.robots.crops9 import crops9
from tarsus.robots.dill import dill
from tarsus.robots.feng18 import feng18
from tarsus.robots.hrp2 import hrp2
from tarsus.robots.lola import lola
from tarsus.robots.planar4 import planar4
from tarsus.robots.quadruped import quadruped
from tarsus.robots.rabbit import rabbit
from tarsus.robots.shah7 import shah7

__all__ = ["coil", "crops9", "dill", "feng18", "hrp2", "lola", "planar4", "quadruped", "rabbit", "shah7"]

"""What must hold for masses and moments of inertia, body by body after links behind fixed joints are merged."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.model.coupling import Source
from tarsus.model.description import Description
from tarsus.model.merging import MergedBody
from tarsus.model.validation.findings import MAX_MAGNITUDE, Findings
from tarsus.spatial.inertia import Inertia

PSD_TOLERANCE = 1e-9
"""Eigenvalues of an inertia below minus this share of the largest one are negative, not rounded."""
PSD_FLOOR = 1e-15
"""Negative eigenvalues smaller than this [kg m^2] are rounding, whatever their share."""
TRIANGLE_TOLERANCE = 1e-6
"""Share by which printed inertias may miss the triangle inequality through rounding."""
EXTREME_MASS_RATIO = 1e6
"""Heaviest to lightest moving body; beyond it half of the digits of the mass matrix are lost."""


def check_finite(bodies: list[MergedBody], found: Findings) -> bool:
    """True where merged inertias and poses are numbers that can be computed with."""
    before = len(found.problems)
    for body in bodies:
        element = f"link {body.name!r}"
        I = body.inertia
        largest = max(abs(I.mass), np.abs(I.com).max(), np.abs(I.moments).max(), np.abs(body.joint_pose).max())
        if not largest <= MAX_MAGNITUDE:
            message = f"inertia or pose of {element} has entries of {largest:.3g}, more than {MAX_MAGNITUDE:g}"
            found.error("non-finite", message, element, body.source, f"{largest:.3g}")
    return len(found.problems) == before


def check_negative_masses(d: Description, found: Findings) -> None:
    """What can be said of inertias when it is not clear which links belong together."""
    for link in d.links:
        if link.inertia is not None and link.inertia.mass < 0.0:
            element, mass = f"link {link.name!r}", f"{link.inertia.mass:g}"
            found.error("negative-mass", f"mass of {element} is negative: {mass}", element, link.source, mass)


def check_bodies(bodies: list[MergedBody], found: Findings) -> None:
    """Masses and moments that matter can belong to matter."""
    for body, eig in zip(bodies, _principal_moments([body.inertia for body in bodies]), strict=True):
        element = f"link {body.name!r}"
        mass, source = body.inertia.mass, body.source
        report = found.error if body.moving else found.warning
        if mass < 0.0:
            report("negative-mass", f"mass of {element} is negative: {mass:g}", element, source, f"{mass:g}")
        values = ", ".join(f"{x:.6g}" for x in eig)
        if eig[0] < -max(PSD_FLOOR, PSD_TOLERANCE * max(-eig[0], eig[2])):
            message = f"inertia of {element} is not positive semidefinite (eigenvalues {values})"
            message += "; repair=True takes the nearest that is" if body.moving else ""
            report("inertia-not-psd", message, element, source, values)
        elif eig[0] + eig[1] < eig[2] * (1.0 - TRIANGLE_TOLERANCE) - PSD_FLOOR:
            message = f"inertia of {element} violates the triangle inequality (eigenvalues {values})"
            found.warning("triangle-inequality", message, element, source, values)
        if body.moving and not body.virtual and mass == 0.0:
            found.warning("massless", f"moving {element} has no mass", element, source, 0)
    masses = [body.inertia.mass for body in bodies if body.moving and body.inertia.mass > 0.0]
    if masses and max(masses) > EXTREME_MASS_RATIO * min(masses):
        ratio = max(masses) / min(masses)
        message = f"masses of moving bodies differ by a factor of {ratio:.3g}; expect loss of precision"
        found.warning("mass-ratio", message, "model", Source(), f"{ratio:.3g}")


def check_merged_links(d: Description, bodies: list[MergedBody], found: Findings) -> None:
    """Warn of links that are impossible by themselves but sit in a body that is sound."""
    merged = {name for body in bodies if len(body.links) > 1 for name in body.links}
    links = [link for link in d.links if link.name in merged and link.inertia is not None]
    if not links:
        return
    spectra = _principal_moments([link.inertia for link in links if link.inertia is not None])
    told = {problem.element for problem in found.problems}
    for link, eig in zip(links, spectra, strict=True):
        element = f"link {link.name!r}"
        if link.inertia is None or element in told:
            continue
        if link.inertia.mass < 0.0:
            message = f"mass of {element} is negative: {link.inertia.mass:g}, made good by the links fixed to it"
            found.warning("negative-mass", message, element, link.source, f"{link.inertia.mass:g}")
        if eig[0] < -max(PSD_FLOOR, PSD_TOLERANCE * max(-eig[0], eig[2])):
            values = ", ".join(f"{x:.6g}" for x in eig)
            message = f"inertia of {element} is not positive semidefinite (eigenvalues {values}), made good by merging"
            found.warning("inertia-not-psd", message, element, link.source, values)


def _principal_moments(inertias: list[Inertia]) -> FloatArray:
    moments = np.array([inertia.moments for inertia in inertias])
    eigenvalues: FloatArray = np.linalg.eigvalsh(0.5 * (moments + np.swapaxes(moments, -1, -2)))
    return eigenvalues

"""The filter of `BaseEstimator` as the book has it, by whole matrices F, H and K: the oracle of the native one."""

import math

import numpy as np

from tarsus.control.estimation.single_rotation import cross_matrices, exponential

ROTATION, GYROSCOPE, ACCELEROMETER, VELOCITY, POSITION, FIRST_CONTACT = range(6)


def left_jacobian(x, y, z):
    """J with exp of (rotation r, translation u) = (exp(r), J(r) u), shape (3, 3)."""
    square = x * x + y * y + z * z
    angle = math.sqrt(square)
    if angle < 1e-4:  # the next terms are below 1e-18
        a, b = 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    else:
        a, b = 2.0 * math.sin(0.5 * angle) ** 2 / square, (angle - math.sin(angle)) / (square * angle)
    S = cross(np.array([x, y, z]))
    return np.eye(3) + a * S + b * S @ S


def cross(x):
    return cross_matrices(np.asarray(x)[None])[0]


def block(k):
    return slice(3 * k, 3 * k + 3)


class BookFilter:
    """Errors and equations of `InvariantFilter` (Hartley et al. 2020), entry by entry."""

    def __init__(self, contacts, patches, noise, gravity):
        self.n, self.patches, self.noise, self.g = contacts, list(patches), noise, np.array(gravity, dtype=float)
        self.blocks = FIRST_CONTACT + contacts + len(patches)
        self._x = np.zeros((2 + contacts, 3))  # v, p, d
        self.R, self.C = np.eye(3), np.tile(np.eye(3), (len(patches), 1, 1))
        self.gyroscope_bias, self.accelerometer_bias = np.zeros((2, 3))
        self.P = np.zeros((3 * self.blocks, 3 * self.blocks))
        self.on = np.ones(self.blocks, dtype=bool)

    @classmethod
    def of(cls, state, patches):
        """At the estimate of an `InvariantFilter`."""
        book = cls(len(state.d), patches, state.noise, state._gravity)
        book.R, book._x, book.C, book.P = state.R.copy(), state._x.copy(), state.C.copy(), state.P.copy()
        book.gyroscope_bias, book.accelerometer_bias = state.gyroscope_bias.copy(), state.accelerometer_bias.copy()
        book.on = state._on.astype(bool)
        return book

    def transition(self, dt):
        """F = 1 + A dt, with the position to second order; and M, by which noise of the gyroscope turns errors."""
        F, M = np.eye(3 * self.blocks), np.zeros((3 * self.blocks, 3))
        M[block(ROTATION)] = np.eye(3)
        for k, x in enumerate(self._x):
            M[block(VELOCITY + k)] = cross(x)
        M *= np.repeat(self.on, 3)[:, None]
        F[:, block(GYROSCOPE)] += -dt * M @ self.R
        F[block(VELOCITY), block(ACCELEROMETER)] = -dt * self.R
        F[block(POSITION), block(ACCELEROMETER)] = -0.5 * dt * dt * self.R
        F[block(VELOCITY), block(ROTATION)] = dt * cross(self.g)
        F[block(POSITION), block(ROTATION)] = 0.5 * dt * dt * cross(self.g)
        F[block(POSITION), block(VELOCITY)] = dt * np.eye(3)
        return F, M

    def propagate(self, dt, gyroscope, accelerometer, *, scale=(1.0, 1.0)):
        noise, (F, M) = self.noise, self.transition(dt)
        density = np.zeros((self.blocks, 3))
        density[GYROSCOPE], density[ACCELEROMETER] = noise.gyroscope_walk**2, noise.accelerometer_walk**2
        density[VELOCITY] = (scale[1] * noise.accelerometer) ** 2
        density[FIRST_CONTACT : FIRST_CONTACT + self.n] = noise.creep**2
        density[FIRST_CONTACT + self.n :] = np.square([noise.creep_tilt, noise.creep_tilt, noise.creep_turn])
        density *= self.on[:, None]
        self.P = F @ self.P @ F.T + dt * (scale[0] * noise.gyroscope) ** 2 * M @ M.T + np.diag(dt * density.ravel())
        self.R = self.R @ exponential(*(dt * (gyroscope - self.gyroscope_bias)))
        a = self.R @ (accelerometer - self.accelerometer_bias) + self.g
        self._x[1] += dt * self._x[0] + 0.5 * dt * dt * a
        self._x[0] += dt * a

    def rows(self, used):
        """H of the contacts that are used, positions first, then orientations of patches; owners; own variances."""
        patches = [k for k in used if k in self.patches]
        pairs = [(POSITION, FIRST_CONTACT + k) for k in used]
        pairs += [(ROTATION, FIRST_CONTACT + self.n + self.patches.index(k)) for k in patches]
        H = np.zeros((3 * len(pairs), 3 * self.blocks))
        for i, (source, target) in enumerate(pairs):
            H[block(i), block(source)], H[block(i), block(target)] = np.eye(3), -np.eye(3)
        variance = [self.noise.contact**2] * len(used) + [self.noise.contact_turn**2] * len(patches)
        return H, np.repeat([*used, *patches], 3), np.repeat(variance, 3)

    def seen(self, p_IC, R_IC, used):
        """What joints tell less what is expected."""
        z = [self.R @ p_IC[k] + self._x[1] - self._x[2 + k] for k in used]
        for i, k in enumerate(self.patches):
            if k in used:
                D = self.R @ R_IC[k] @ self.C[i].T
                z.append(0.5 * np.array([D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]]))
        return np.concatenate(z)

    def correct(self, p_IC, R_IC, X_BI, J, used, gate):
        """As `InvariantFilter.correct`."""
        H, owner, variance = self.rows(used)
        z, R_WB = self.seen(p_IC, R_IC, used), self.R @ X_BI[:3, :3].T
        J_W = np.concatenate([R_WB @ J[k, :3] for k in used] + [R_WB @ J[k, 3:] for k in used if k in self.patches])
        S = H @ self.P @ H.T + self.noise.encoder**2 * J_W @ J_W.T + np.diag(variance)
        far = z * z > gate**2 * S.diagonal()
        if far.any():
            return tuple(sorted(set(owner[far].tolist())))
        K = self.P @ H.T @ np.linalg.inv(S)
        P = self.P - K @ H @ self.P
        self.P = 0.5 * (P + P.T)
        self.retract(-K @ z)
        return ()

    def retract(self, xi):
        """X = exp(xi) X."""
        turn = xi[block(ROTATION)]
        E, J = exponential(*turn), left_jacobian(*turn)
        self.R = E @ self.R
        for k in range(len(self._x)):
            self._x[k] = E @ self._x[k] + J @ xi[block(VELOCITY + k)]
        self.gyroscope_bias += xi[block(GYROSCOPE)]
        self.accelerometer_bias += xi[block(ACCELEROMETER)]
        for i in range(len(self.patches)):
            place = FIRST_CONTACT + self.n + i
            if self.on[place]:
                self.C[i] = exponential(*xi[block(place)]) @ self.C[i]

"""Overlaps: the five numbers of (k, v) on which every population risk depends."""

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from soloc.maths.data import Data
from soloc.maths.numbers import check_real, is_concrete
from soloc.tasks.single_location import Truth

NAMES = ("kappa", "nu", "theta", "eta", "rho")
_ROUNDING = 1e-9  # how far the Gram matrix of rounded overlaps may be from positive


@dataclass(frozen=True)
class Overlaps(Data):
    """kappa = k.k*, nu = v.v*, theta = v.k*, eta = k.v*, rho = k.v of unit vectors k and v.

    Arrays broadcast. The manifold is theta = eta = rho = 0. Overlaps that no unit vectors can have
    are refused: the Gram matrix of (k*, v*, k, v) must be positive.
    """

    kappa: Any
    nu: Any
    theta: Any = 0.0
    eta: Any = 0.0
    rho: Any = 0.0

    def __post_init__(self) -> None:
        values: tuple[Any, ...] = (self.kappa, self.nu, self.theta, self.eta, self.rho)
        for name, value in zip(NAMES, values, strict=True):
            check_real(name, value, "a finite number between -1 and 1")
        if not all(is_concrete(value) for value in values):
            return
        if not all(isinstance(value, (int, float)) for value in values):
            values = tuple(np.asarray(value, dtype=float) for value in values)
        left_k, left_v, cross = residual_gram(*values)
        positive = (
            (left_k >= -_ROUNDING)
            & (left_v >= -_ROUNDING)
            & (left_k * left_v - cross * cross >= -_ROUNDING)
        )
        if not np.all(positive):
            raise ValueError(
                "`overlaps` must belong to unit vectors k and v: the Gram matrix of (k*, v*, k, v)"
                " must be positive, got "
                + ", ".join(
                    f"{name}={value}" for name, value in zip(NAMES, astuple(self), strict=True)
                )
                + ". Take smaller values, or compute them from vectors with Overlaps.of(k, v,"
                " truth)."
            )

    @staticmethod
    def of(k: jax.Array, v: jax.Array, truth: Truth) -> "Overlaps":
        """Overlaps of unit vectors (or batches of them along the leading axes) with the truth."""
        return Overlaps(k @ truth.k, v @ truth.v, v @ truth.k, k @ truth.v, jnp.sum(k * v, axis=-1))

    @staticmethod
    def unchecked(*five: Any) -> "Overlaps":
        """Overlaps that come from a step or a record, and need no second look."""
        overlaps: Overlaps = jax.tree.unflatten(_STRUCTURE, five)
        return overlaps

    def vectors(self, truth: Truth, key: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Unit vectors k, v with these overlaps, their part outside (k*, v*) drawn uniformly."""
        frame = jnp.stack([truth.k, truth.v])
        outside = jax.random.normal(key, (2, truth.k.shape[-1]), dtype=truth.k.dtype)
        outside = outside - outside @ frame.T @ frame
        frame = jnp.concatenate([frame, jnp.linalg.qr(outside.T)[0].T])
        in_frame = self.in_frame()
        return jnp.asarray(in_frame.k) @ frame, jnp.asarray(in_frame.v) @ frame

    def in_frame(self) -> "InFrame":
        """k and v in an orthonormal frame (k*, v*, e3, e4) that holds them."""
        kappa, nu, theta, eta, rho = np.broadcast_arrays(
            *(np.asarray(getattr(self, name), dtype=float) for name in NAMES)
        )
        left_k, left_v, cross = residual_gram(kappa, nu, theta, eta, rho)
        k3 = np.sqrt(np.maximum(left_k, 0.0))
        seen = k3 > 1e-8  # below, k lies in the plane of k* and v*, and any axis may be the third
        v3 = np.where(seen, cross / np.where(seen, k3, 1.0), 0.0)
        v4 = np.sqrt(np.maximum(left_v - v3**2, 0.0))
        return InFrame(np.stack([kappa, eta, k3, 0.0 * k3]), np.stack([theta, nu, v3, v4]))

    def __iter__(self) -> Iterator[Any]:
        """The five in the order of `NAMES`."""
        return iter((self.kappa, self.nu, self.theta, self.eta, self.rho))

    @property
    def distance(self) -> Any:
        """Distance to the manifold, sqrt(theta^2 + eta^2 + rho^2)."""
        return (self.theta**2 + self.eta**2 + self.rho**2) ** 0.5


class InFrame(NamedTuple):
    """Coordinates of k and v, along the first axis: (4, ...) each."""

    k: np.ndarray
    v: np.ndarray


def residual_gram(kappa: Any, nu: Any, theta: Any, eta: Any, rho: Any) -> tuple[Any, Any, Any]:
    """|k'|^2, |v'|^2 and k'.v' of the parts k', v' of k, v orthogonal to k* and v*."""
    return (
        1.0 - kappa * kappa - eta * eta,
        1.0 - nu * nu - theta * theta,
        rho - kappa * theta - eta * nu,
    )


_STRUCTURE = jax.tree.structure(Overlaps(0.0, 0.0))

"""Networks that people train, on tasks whose best risk is known exactly.

Needs the extra [networks]: equinox and optax.
"""

try:
    import equinox as _equinox  # noqa: F401
    import optax as _optax  # noqa: F401
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"soloc.networks needs {missing.name}, which is not installed; run: pip install"
        " 'soloc[networks]'",
        name=missing.name,
    ) from None

from soloc.networks.attention import StandardAttention, exact_risk
from soloc.networks.others import FullyConnected, LinearRegression, MeanPool, Transformer
from soloc.networks.training import Trained, train

__all__ = [
    "FullyConnected",
    "LinearRegression",
    "MeanPool",
    "StandardAttention",
    "Trained",
    "Transformer",
    "exact_risk",
    "train",
]

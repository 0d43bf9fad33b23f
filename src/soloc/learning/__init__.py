"""How much data: learning curves at fixed n/d in the limit of high dimension, and AMP beside them.

Results of the replica method [replica] are exact under its assumption and confirmed by simulation.
"""

from typing import TYPE_CHECKING

from soloc.lazily import imported_when_used

if TYPE_CHECKING:
    from soloc.learning.baselines import known_location_curve as known_location_curve
    from soloc.learning.baselines import linear_curve as linear_curve
    from soloc.learning.baselines import moment_start_curve as moment_start_curve
    from soloc.learning.bayes import bayes_curve as bayes_curve
    from soloc.learning.bayes import samples_for as samples_for
    from soloc.learning.bayes import tails as tails
    from soloc.learning.erm import erm_curve as erm_curve
    from soloc.learning.message_passing import amp as amp

__getattr__, __all__ = imported_when_used(
    __name__,
    {
        "soloc.learning.baselines": "known_location_curve linear_curve moment_start_curve",
        "soloc.learning.bayes": "bayes_curve samples_for tails",
        "soloc.learning.erm": "erm_curve",
        "soloc.learning.message_passing": "amp",
    },
)

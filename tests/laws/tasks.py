"""The tasks that every law is asked of: a new one joins by one line."""

import numpy as np

from soloc.maths.harmonics import Coordinates, Harmonics
from soloc.tasks.exchangeable_latent import ExchangeableLatent
from soloc.tasks.key_laws import GaussianKeys, SphereKeys
from soloc.tasks.lengths import LengthLaw
from soloc.tasks.max_location import MaxLocation
from soloc.tasks.noisy_recall import NoisyRecall
from soloc.tasks.several_locations import SeveralLocations
from soloc.tasks.single_location import SingleLocation

TASKS = {
    "exchangeable": ExchangeableLatent(dv=2, L=8),
    "exchangeable, noisy, degree 1 in four dimensions": ExchangeableLatent(
        Harmonics(4, (1.0, 0.0)), SphereKeys(4), sigma=0.8, lam=2.0, noisy_answer=True, L=8
    ),
    "exchangeable, Gaussian keys": ExchangeableLatent(
        Coordinates(), GaussianKeys((1.0, 0.3, 0.1)), L=8
    ),
    "recall": NoisyRecall(L=8),
    "recall of pairs, blurred more": NoisyRecall(d=5, tau=0.3, dv=2, L=8),
    "single location, gamma = 1": SingleLocation(d=8, L=8, gamma=1.0, eps=0.3),
    "single location, gamma^2 = 1/2": SingleLocation(d=8, L=8, gamma=0.5**0.5),
    "single location on a background": SingleLocation(
        d=8, L=8, gamma=1.2, background=tuple(0.3 * np.ones(8))
    ),
    "single location with a prior": SingleLocation(d=5, L=3, gamma=0.7, prior=(0.2, 0.5, 0.3)),
    "single location, random lengths": SingleLocation(
        d=5, gamma=0.8, eps=0.2, lengths=LengthLaw((1, 2, 4), (0.2, 0.3, 0.5))
    ),
    "several locations": SeveralLocations(
        d=6, L=5, kinds=2, per_kind=(1, 2), signal=1.5, gamma=0.8, eps=0.2, importance=(1.0, 0.5)
    ),
    "largest score": MaxLocation(d=5, L=4, eps=0.2),
    "drawn by score, random lengths": MaxLocation(
        d=5, beta=1.5, lengths=LengthLaw((1, 2, 4), (0.2, 0.3, 0.5))
    ),
    "graded by score": MaxLocation(d=5, L=4, beta=1.5, eps=0.2, graded=True),
}
#: those whose Bayes answer is an attention over keys of one length
ATTENDED = {
    name: task
    for name, task in TASKS.items()
    if hasattr(task, "view") and getattr(task, "lengths", None) is None
}

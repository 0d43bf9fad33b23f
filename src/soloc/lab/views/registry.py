"""Every view of the lab, one line each, in the order of the page."""

from soloc.lab.view import register
from soloc.lab.views import (
    attentions,
    bag,
    critical,
    curves,
    data,
    heads,
    landscape,
    largest,
    latent,
    learner,
    samples,
    sentence,
    sequence,
)

register(landscape.VIEW)
register(sequence.VIEW)
register(curves.VIEW)
register(critical.VIEW)
register(heads.VIEW)
register(attentions.VIEW)
register(largest.VIEW)
register(latent.VIEW)
register(samples.VIEW)
register(learner.VIEW)
register(data.VIEW)
register(bag.VIEW)
register(sentence.VIEW)

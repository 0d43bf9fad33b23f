"""Bags to start with: generated, and made from what scikit-learn ships."""

from soloc.datasets.digits import digit_bags as digit_bags
from soloc.datasets.distractors import make_distractors as make_distractors
from soloc.datasets.nonlinear import make_nonlinear_location as make_nonlinear_location
from soloc.datasets.peptides import make_peptides as make_peptides
from soloc.datasets.single_location import BagData as BagData
from soloc.datasets.single_location import SingleLocationLaw as SingleLocationLaw
from soloc.datasets.single_location import make_single_location as make_single_location
from soloc.datasets.single_location import single_location_law as single_location_law

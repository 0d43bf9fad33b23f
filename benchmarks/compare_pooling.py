"""The table of the README: bags of instances, by what people use today and by attention.

python benchmarks/compare_pooling.py

R² on new bags. Pooling is the mean of the instances for ridge regression, and mean, least, largest
and spread of every feature for boosted trees; neither can say which instance decided.
"""

import time

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score

from soloc.datasets import digit_bags, make_peptides, single_location_law
from soloc.datasets.single_location import BagData
from soloc.estimators import Bags, SingleLocationRegressor


def peptides() -> tuple[BagData, BagData]:
    """The first 420 peptides and the other 180."""
    table = make_peptides(600)
    features = table.drop(columns="binds")
    bags = Bags.from_frame(features, bag="peptide", label="affinity", name="window")
    places = table.groupby("peptide", sort=False)["binds"].agg(np.argmax).to_numpy()
    data = BagData(bags, np.asarray(bags.labels), places)
    return data.part(slice(0, 420)), data.part(slice(420, None))


def gaussians() -> tuple[BagData, BagData]:
    """Bags of the paper's law, 5 to 15 instances of 20 features."""
    law = single_location_law(width=20, signal=3.0)
    return law.sample(1000, (5, 15), random_state=0), law.sample(2000, (5, 15), random_state=1)


SETS = {
    "windows of peptides": peptides,
    "images of digits": lambda: (digit_bags(1000, 0), digit_bags(1000, 0, split="test")),
    "the paper's law": gaussians,
}


def pooled(bags: Bags) -> np.ndarray:
    """Mean, least, largest and spread of the instances of each bag."""
    parts = np.split(np.asarray(bags.values), bags.offsets[1:-1])
    return np.array([np.r_[x.mean(0), x.min(0), x.max(0), x.std(0)] for x in parts])


def row(name: str, train: BagData, test: BagData) -> str:
    """One set: three scores, the share of instances named, and the CPU seconds of the fit."""
    inside, outside, width = pooled(train.bags), pooled(test.bags), train.bags.width
    ridge = RidgeCV(np.logspace(-3, 4, 15)).fit(inside[:, :width], train.labels)
    trees = HistGradientBoostingRegressor(random_state=0).fit(inside, train.labels)
    began = time.process_time()
    model = SingleLocationRegressor().fit(train.bags, train.labels)
    seconds = time.process_time() - began
    scores = [
        r2_score(test.labels, said)
        for said in (
            ridge.predict(outside[:, :width]),
            trees.predict(outside),
            model.predict(test.bags),
        )
    ]
    found = np.mean(model.locate(test.bags) == test.locations)
    numbers = " | ".join(f"{score:.2f}" for score in scores)
    return f"| {name} | {numbers} | {found:.0%} | {seconds:.1f} s |"


def table() -> list[str]:
    """All rows, without the heading."""
    return [row(name, *make()) for name, make in SETS.items()]


if __name__ == "__main__":
    print("| bags | ridge on means | boosted trees on pooled features | soloc ", end="")
    print("| names the instance | CPU of the fit |")
    print("|---|---|---|---|---|---|")
    print(*table(), sep="\n")

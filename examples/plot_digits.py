"""
Find the decisive digit
=======================

Ten digit images per bag; the label is a linear function of the one image of a key class. The zero
can be told apart by a linear key. The eight cannot: with Nystroem features of the images it can.
"""

from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline

from soloc.datasets import digit_bags
from soloc.estimators import SingleLocationRegressor, TokenTransformer

kernel = TokenTransformer(Nystroem(gamma=0.1, n_components=200, random_state=0))
for key_class, model in (
    (0, SingleLocationRegressor()),
    (8, make_pipeline(kernel, SingleLocationRegressor())),
):
    train = digit_bags(2000, key_class)
    test = digit_bags(2000, key_class, split="test")  # other images
    model.fit(train.bags, train.labels)
    last = model if key_class == 0 else model[-1]
    bags = test.bags if key_class == 0 else model[:-1].transform(test.bags)
    located = (last.locate(bags) == test.locations).mean()
    print(
        f"key class {key_class}: R^2 {model.score(test.bags, test.labels):.3f}, localisation"
        f" {located:.3f}"
    )
    print(last.explain(bags, 0))

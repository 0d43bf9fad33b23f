"""
Find the decisive digit
=======================

Ten digit images per bag; the label is a linear function of the one image of a key class. The zero
can be told apart by a linear key. The eight cannot: with Nystroem features of the images it can.
"""

import matplotlib.pyplot as plt
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

# %%
# One bag of the second model.
images, weights = test.bags.values[:10], last.attend(bags)[0]
figure, axes = plt.subplots(1, 10, figsize=(10, 1.5), layout="constrained")
for place, (axis, image, weight) in enumerate(zip(axes, images, weights, strict=True)):
    axis.imshow(image.reshape(8, 8), cmap="gray_r")
    axis.set(xticks=[], yticks=[], xlabel=f"{weight:.2f}")
    decisive = place == test.locations[0]
    plt.setp(axis.spines.values(), color="tab:orange" if decisive else "lightgray", lw=3)
figure.suptitle("attention on each image; the frame marks the one that decides")
plt.show()

"""
Which instance gives the class?
===============================

Bags with a class that one of their instances decides. The classifier gives probabilities, which
can be taken at their word on new bags, and names the instance.
"""

import matplotlib.pyplot as plt
import numpy as np

from soloc.datasets import single_location_law
from soloc.estimators import SingleLocationClassifier

law = single_location_law(width=20, signal=3.0)
train, test = law.sample(1000, (5, 15), random_state=0), law.sample(4000, (5, 15), random_state=1)
model = SingleLocationClassifier().fit(train.bags, train.labels > 0)
right = model.predict(test.bags) == (test.labels > 0)
found = model.locate(test.bags) == test.locations
print(f"right class: {right.mean():.3f}, right instance: {found.mean():.3f}")

# %%
# Of the bags that get a probability of 80 %, about 80 % are right.
sure = model.predict_proba(test.bags).max(axis=1)
tenths = np.array_split(np.argsort(sure), 10)
figure, axis = plt.subplots(figsize=(4.8, 3.8), layout="constrained")
axis.plot([0.5, 1], [0.5, 1], color="gray", ls=":")
axis.plot([sure[part].mean() for part in tenths], [right[part].mean() for part in tenths], "o-")
axis.set(xlabel="probability of the predicted class", ylabel="share that is right")
plt.show()

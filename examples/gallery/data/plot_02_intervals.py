"""
How sure is it?
===============

With the likelihood the predictive law is a Gaussian mixture over locations: where the location is
uncertain the interval widens, or splits. Intervals are calibrated on leave-one-out errors, and
hold on new bags.
"""

import matplotlib.pyplot as plt
import numpy as np

from soloc.datasets import single_location_law
from soloc.estimators import SingleLocationRegressor
from soloc.figures import calibration, residuals

law = single_location_law(width=20, signal=2.5)
train, test = law.sample(1500, (5, 15), random_state=0), law.sample(5000, (5, 15), random_state=1)
model = SingleLocationRegressor(loss="likelihood").fit(train.bags, train.labels)
for coverage in (0.5, 0.8, 0.9, 0.95):
    low, high = model.predict_interval(test.bags, coverage).T
    inside = np.mean((low <= test.labels) & (test.labels <= high))
    print(f"promised {coverage:.2f}, kept {inside:.3f}, mean width {np.mean(high - low):.2f}")

# %%
# The sharper the attention, the narrower the interval.
width = np.diff(model.predict_interval(test.bags, 0.9))[:, 0]
top = np.array([weights.max() for weights in model.attend(test.bags)])
for low, high in ((0.0, 0.5), (0.5, 0.9), (0.9, 1.0)):
    chosen = (top > low) & (top <= high)
    print(
        f"largest weight in ({low}, {high}]: {chosen.mean():.0%} of bags, mean width "
        f"{width[chosen].mean():.2f}"
    )

# %%
# Calibration and residuals on new bags.
table = model.residuals(test.bags, test.labels)
calibration.figure(table)
plt.show()

# %%
residuals.figure(table)
plt.show()

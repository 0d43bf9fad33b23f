"""
Your bags in ten minutes
========================

A table with one row per instance and one label per bag becomes predictions with intervals, and the
name of the instance that decided. A sentence says whether to believe it.
"""

# %%
# A table
# -------
# Bags are peptides here, instances their windows of nine residues. A column names the bag, one the
# label (the same in all rows of a bag), the others are features. A file of yours is
# ``pd.read_csv(...)``.
import matplotlib.pyplot as plt
import numpy as np

from soloc.datasets import make_peptides

table = make_peptides(600)
truth = table[table["binds"]].set_index("peptide")["window"]  # known here, and not used for fitting
table = table.drop(columns="binds")
table.iloc[:4, :6]

# %%
# Bags
# ----
# ``name`` is what an instance is called when the model speaks of it. Text columns that are left
# are set aside with a reason.
from soloc.estimators import Bags

bags = Bags.from_frame(table, bag="peptide", label="affinity", name="window")
bags

# %%
# Fit
# ---
# ``SingleLocationAutoRegressor`` tries mean pooling, linear attention and a network and keeps the
# simplest of the best; we take the linear one at once. Everything follows scikit-learn:
# ``cross_val_score`` and pipelines work on bags.
from sklearn.model_selection import train_test_split

from soloc.estimators import SingleLocationRegressor

train, test = train_test_split(range(len(bags)), test_size=0.3, random_state=0)
model = SingleLocationRegressor().fit(bags[train])
new = bags[test]
print(f"R² on new peptides: {model.score(new, new.labels):.3f}")
model.diagnostics_

# %%
# The verdict comes before the pointing. Here it can be trusted, so we ask which window binds.
named = [new.names_of(i)[j] for i, j in enumerate(model.locate(new))]
print(f"named correctly: {(truth[new.ids].to_numpy() == named).mean():.3f}")
model.explain(new, 0)

# %%
# Predictions with intervals
# --------------------------
low, high = model.predict_interval(new, 0.9).T
predicted, labels = model.predict(new), np.asarray(new.labels)
print(f"in the 90 % interval: {np.mean((low <= labels) & (labels <= high)):.2f}")

order = np.argsort(predicted)[::3]
figure, axis = plt.subplots(figsize=(7, 3.4), layout="constrained")
axis.vlines(range(len(order)), low[order], high[order], color="tab:blue", alpha=0.4)
axis.plot(labels[order], "k.", label="label")
axis.plot(predicted[order], color="tab:blue", label="prediction and 90 % interval")
axis.set(xlabel="new peptides, by prediction", ylabel="affinity")
axis.legend()
plt.show()

# %%
# Keep it
# -------
# The file holds arrays and facts, no pickle; a model that is loaded predicts the same numbers.
import tempfile
from pathlib import Path

from soloc.estimators import load

with tempfile.TemporaryDirectory() as folder:
    model.save(Path(folder) / "peptides.soloc")
    again = load(Path(folder) / "peptides.soloc")
print(np.array_equal(again.predict(new), predicted))

# %%
# Without Python
# --------------
# The command line does the same from files::
#
#     soloc fit peptides.csv --bag peptide --label affinity --out peptides.soloc
#     soloc predict peptides.soloc new.csv --out predicted.csv
#     soloc explain peptides.soloc new.csv --out explained.html

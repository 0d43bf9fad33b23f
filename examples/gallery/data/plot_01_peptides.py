"""
Which window of a peptide binds?
================================

A table with one row per nine-residue window, a label per peptide, and nobody says which window
binds. The model predicts the affinity of new peptides and names the window.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

from soloc.datasets import make_peptides
from soloc.estimators import Bags, SingleLocationRegressor

table = make_peptides(600)
truth = table[table["binds"]].set_index("peptide")["window"]
bags = Bags.from_frame(table.drop(columns="binds"), bag="peptide", label="affinity", name="window")
print(bags)

train, test = train_test_split(range(len(bags)), test_size=0.3, random_state=0)
model = SingleLocationRegressor().fit(bags[train])
print(f"R^2 on new peptides: {model.score(bags[test], bags[test].labels):.3f}")

# %%
# The model says whether its pointing can be trusted, and names the window.
print(model.diagnostics_)
new = bags[test]
named = [new.names_of(i)[j] for i, j in enumerate(model.locate(new))]
print(f"binding window named correctly: {(truth[new.ids].to_numpy() == named).mean():.3f}")

# %%
# One peptide explained: in a notebook this shows as a row of shaded windows.
print(model.explain(new, 0))
model.explain(new, 0).figure()
plt.show()

"""
Reproduce and change a figure
=============================

Every figure of the report is an experiment: a question, settings, a function from settings to a
table, and a drawing of that table. We compute one again, read its claims, and ask the same with
other numbers.
"""

# %%
# One experiment
# --------------
# ``soloc list`` names them all. The settings are frozen values; ``quick=True`` takes coarser
# grids.
from soloc.experiments.registry import EXPERIMENTS, find

print(len(EXPERIMENTS), "experiments, among them", *list(EXPERIMENTS)[:6])
experiment = find("temperature")
print(experiment.question)
settings = experiment.settings(quick=True)
settings

# %%
# Its table, and the figure
# -------------------------
# The function is pure: equal settings give equal tables. The drawing computes nothing.
from soloc.figures.attention import temperature as drawing

table = experiment.run(settings)
drawing.figure(table)

# %%
# What it says, computed from the table
# -------------------------------------
print(experiment.findings(table))
for claim in experiment.certificates(table):
    print(f"{'holds' if claim.passed else 'FAILS'}  {claim.claim}  [{claim.measured}]")

# %%
# Changed
# -------
# Another setting is one argument. At the command line this is ``soloc run problem --set
# signal=3``, which keeps table and figure in ``results/runs``. The picture of the problem, with a
# weaker signal:
from soloc.figures.attention import problem as picture

problem = find("problem")
weaker = problem.run(problem.settings(signal=3.0))
picture.figure(weaker)

# %%
# The attention now hesitates, and so does Bayes: what is left cannot be explained by anyone.
print(problem.findings(weaker))

# %%
# All of it
# ---------
# ::
#
#     soloc reproduce                    # every experiment, every claim, one page
#     soloc reproduce --only temperature
#     soloc figure temperature --file temperature.pdf

"""
Which word decides?
===================

Sentences with a score, one word of which decides it. The model is told the scores only; it finds
the word, in sentences whose patterns and words it has never seen. Needs the extra [text].
"""

import warnings

import matplotlib.pyplot as plt

from soloc.estimators import PointingWarning
from soloc.text import explain_sentences, locate_words, rated_sentences
from soloc.text.pipelines import rated_pipeline

train, new = rated_sentences(2000), rated_sentences(500, "both")
model = rated_pipeline().fit(train.texts, train.scores)
print(model[-1].diagnostics_)

# %%
# The decisive word of each new sentence, against the truth.
with warnings.catch_warnings():
    warnings.simplefilter("ignore", PointingWarning)
    found = locate_words(model, new.texts)
print(f"found in {(found.start == new.starts).mean():.1%} of new sentences with new words")

# %%
# One word turns a sentence from good to bad.
good, bad = explain_sentences(model, ["My dog is wonderful.", "My dog is terrible."])
print(good, bad, sep="\n\n")

# %%
figure, axes = plt.subplots(1, 2, figsize=(8, 2.6), sharex=True, layout="constrained")
for axis, explanation in zip(axes, (good, bad), strict=True):
    words = explanation.table.iloc[::-1]
    axis.barh(words["word"], words["contribution"])
    axis.set(title=f"score {explanation.prediction:+.2f}", xlabel="contribution to the score")
plt.show()

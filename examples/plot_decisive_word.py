"""
Which word decides?
===================

Sentences with a score, one word of which decides it. The model is told the scores only; it finds
the word, in sentences whose patterns and words it has never seen. Needs the extra [text].
"""

import warnings

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
for explanation in explain_sentences(model, ["My dog is wonderful.", "My dog is terrible."]):
    print(explanation, end="\n\n")

"""Text: words as instances, on real embeddings (extras `text` and `transformers`)."""

from typing import TYPE_CHECKING

from soloc.lazily import imported_when_used

if TYPE_CHECKING:
    from soloc.text.files import load_text_model as load_text_model
    from soloc.text.files import save_text_model as save_text_model
    from soloc.text.generator import RatedSentences as RatedSentences
    from soloc.text.generator import rated_sentences as rated_sentences
    from soloc.text.kernel import WordKernel as WordKernel
    from soloc.text.page import sentence_page as sentence_page
    from soloc.text.pipelines import fit_rated_sentences as fit_rated_sentences
    from soloc.text.pipelines import text_pipeline as text_pipeline
    from soloc.text.sentences import SentenceExplanation as SentenceExplanation
    from soloc.text.sentences import attend_words as attend_words
    from soloc.text.sentences import explain_sentence as explain_sentence
    from soloc.text.sentences import explain_sentences as explain_sentences
    from soloc.text.sentences import locate_words as locate_words
    from soloc.text.text_bags import TextBags as TextBags
    from soloc.text.text_tokens import TextTokens as TextTokens
    from soloc.text.words import TextWarning as TextWarning

__getattr__, __all__ = imported_when_used(
    __name__,
    {
        "soloc.text.files": "load_text_model save_text_model",
        "soloc.text.kernel": "WordKernel",
        "soloc.text.page": "sentence_page",
        "soloc.text.pipelines": "fit_rated_sentences text_pipeline",
        "soloc.text.generator": "RatedSentences rated_sentences",
        "soloc.text.sentences": (
            "SentenceExplanation attend_words explain_sentence explain_sentences locate_words"
        ),
        "soloc.text.text_bags": "TextBags",
        "soloc.text.text_tokens": "TextTokens",
        "soloc.text.words": "TextWarning",
    },
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

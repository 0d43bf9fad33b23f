"""Write down what the lab shows first: the answer to the default sentence, so that no one waits.

    python tools/first_sentence.py

`tests/lab/views/test_sentence.py` compares the file with the library.
"""

from soloc.lab.views.sentence import FIRST, SentenceAsk, computed

if __name__ == "__main__":
    FIRST.write_text(computed(SentenceAsk()).model_dump_json(indent=1) + "\n")
    print(f"wrote {FIRST}")

"""Text: each bar with its number. Needs the extra [text]; with [transformers] also MiniLM.

    python benchmarks/bench_text.py --draws 3

CPU times are process times with one thread per library.
"""

import argparse
import sys
import time

from bars import bar, results
from threads import alone

from soloc.experiments.experiment import cells
from soloc.experiments.text import decisive, heads, probing
from soloc.text import TextTokens, rated_sentences


def timed(model, layer, texts):
    """CPU seconds from strings to vectors, the model loaded."""
    tokens = TextTokens(model, layer)
    tokens.transform(texts[:8])
    begin = time.process_time()
    tokens.transform(texts)
    return time.process_time() - begin


def claims(experiment, config):
    """The certificates of an experiment, printed, and how many fail."""
    begin = time.process_time()
    table = experiment.run(config)
    print(f"== {experiment.name}: {time.process_time() - begin:.1f} s of CPU")
    found = experiment.certificates(table)
    for claim in found:
        print(f"      {claim.claim}: {claim.measured} ({claim.expected}) {claim.caveat}")
    failed = sum(not claim.passed for claim in found)
    bar(f"claims of {experiment.name} that fail", failed, 0)


def main():
    """Run everything that is installed and print the bars."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=3, help="draws of the generator")
    parser.add_argument("--static", action="store_true", help="leave the transformer out")
    options = parser.parse_args()
    static, contextual = decisive.EXPERIMENTS
    if static.lacking():
        print(static.lacking())
        return 0
    texts = rated_sentences(4000).texts
    seconds = timed("wordllama", -1, texts)
    bar("4,000 sentences to static vectors", seconds, 3, "s")
    claims(static, decisive.Config(seeds=tuple(range(30, 30 + options.draws))))
    if options.static or heads.EXPERIMENT.lacking():
        print(heads.EXPERIMENT.lacking() or "the transformer is left out")
        return 0 if all(results) else 1
    print(
        f"      500 sentences to MiniLM's vectors: {timed('minilm', -1, texts[:500]):.1f} s"
        " (reported)"
    )
    claims(probing.EXPERIMENT, probing.EXPERIMENT.config)
    claims(heads.EXPERIMENT, heads.EXPERIMENT.config)
    claims(contextual, cells(contextual.quick, contextual.axes)[0])
    return 0 if all(results) else 1


if __name__ == "__main__":
    alone()
    sys.exit(main())

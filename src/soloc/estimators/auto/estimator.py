"""What the two automatic estimators share: candidates, the choice among them, and the verbs."""

import time
from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from soloc.estimators.bags import Bags
from soloc.estimators.coefficients import Reading
from soloc.estimators.columns import bags_of
from soloc.estimators.diagnostics import Diagnostics, gain
from soloc.estimators.fields import Fields
from soloc.estimators.files import KINDS
from soloc.estimators.groups import count_of
from soloc.estimators.instances import Instances
from soloc.estimators.labels import labels_for
from soloc.estimators.network.ensemble import folds_of
from soloc.estimators.one_thread import on_one_thread
from soloc.estimators.parameters import (
    adopt,
    checked_groups,
    generator,
    plain_parameters,
    refuse_class_weight,
)
from soloc.estimators.pointing import PointingEstimator
from soloc.estimators.tickets import tickets
from soloc.estimators.weights import weighted

CANDIDATES = {"mean-pool": "mean pooling", "linear": "linear attention", "network": "the network"}
#: attributes that are those of the chosen model
CARRIED = ("feature_names_in_", "columns_aside_", "classes_")
SCORES: dict[str, type] = {"candidate": str, "held_out": float, "error": float, "seconds": float}
AS_GOOD = 0.005  # share of a constant's error by which mean pooling may be worse and still answer
BENT = 1.5  # standard errors by which the network must be ahead of what can be read
#: small and wide sets: the linear search has nothing to go by there, and takes seconds for it
FEW_BAGS, MANY_FEATURES = 200, 150
QUICK: dict[str, Any] = {"members": 5, "decay": 1.0, "max_epochs": 12, "context": False}


class AutoEstimator(PointingEstimator):
    """Mean pooling, linear attention or the network: whichever predicts best what it left out."""

    kinds: ClassVar[dict[str, type]]

    model_: Any
    choice_: str
    scores_: pd.DataFrame
    reason_: str

    def __init__(self, candidates=None, random_state=0, n_jobs=None, verbose=0):
        self.candidates = candidates
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # -- the fit

    @on_one_thread
    def fit(self, X, y=None, groups=None, sample_weight=None):
        """Fit every candidate and keep the one that predicts best the bags it left out, or mean
        pooling where that is as good: within a standard error, or .005.

        Bags are held out together as in the candidates: mean pooling leaves out those that the
        others found to share the instance they point at. Weights of bags are used as these use
        them, and by the comparison: a weight of two is the same bag twice. A fit that is
        interrupted leaves the model as it was.
        """
        self._check_parameters()
        bags = bags_of(X).in_memory()
        groups = checked_groups(groups, len(bags))
        labels = labels_for(y, bags, self.several_labels)
        given = weighted(bags, labels, groups, sample_weight, self)
        bags, weights, groups = given.bags, given.weights, given.groups
        labels = given.labels
        standard = self._standard(labels, weights)
        names = self._candidates(bags)
        found: dict[str, Any] = dict.fromkeys(names)
        seconds: dict[str, float] = {}
        for name in sorted(names, key=lambda name: name == "mean-pool"):
            begin = time.process_time()
            if name == "mean-pool":
                groups = coarsest([groups, *(model.groups_ for model in found.values() if model)])
                fold_of = folds_of(tickets(bags, standard, 0), groups)
                folds = [fold_of == fold for fold in range(int(fold_of.max()) + 1)]
                found[name] = self._pooled(bags, labels, weights, folds, groups)
            else:
                candidate = self._candidate(name, bags)
                found[name] = candidate.fit(bags, labels, groups=groups, sample_weight=weights)
            seconds[name] = time.process_time() - begin
            if self.verbose:
                print(f"{name}: {found[name].diagnostics_.held_out:.4f} held out")
        groups = coarsest([groups, *(model.groups_ for model in found.values())])
        adopt(self, self._chosen(found, seconds, standard, weights, groups))
        return self

    def _candidates(self, bags: Bags) -> list[str]:
        """Names in order of simplicity."""
        if self.candidates is not None:
            return [name for name in CANDIDATES if name in self.candidates]
        if len(bags) < FEW_BAGS and bags.width > MANY_FEATURES:
            return ["mean-pool", "network"]
        return list(CANDIDATES)

    def _candidate(self, name: str, bags: Bags) -> Any:
        """An estimator that is not fitted yet."""
        parameters: dict[str, Any] = {"random_state": self.random_state}
        if name == "network":
            parameters["n_jobs"] = self.n_jobs
            if len(bags) < FEW_BAGS and bags.width > MANY_FEATURES:
                parameters |= QUICK
        model = self.kinds[name](**parameters)
        model.on_progress = self.on_progress
        return model

    def _chosen(
        self,
        found: dict[str, Any],
        seconds: dict[str, float],
        standard: np.ndarray,
        weights: np.ndarray,
        groups: np.ndarray | None,
    ) -> dict[str, Any]:
        """The model with the least error on bags that all candidates left out, and why."""
        y = standard.reshape(len(standard), -1)
        seen = np.all([np.isfinite(m.held_out_).all(axis=1) for m in found.values()], axis=0)
        if not seen.any():
            seen[:] = True
        errors = {name: self._errors(y[seen], m.held_out_[seen]) for name, m in found.items()}
        errors = {name: np.nan_to_num(each, nan=np.inf) for name, each in errors.items()}
        weights, groups = weights[seen], None if groups is None else groups[seen]
        constant = self._errors(y[seen], weights @ y[seen] / weights.sum())
        choice = simplest_of_best(errors, constant, weights, groups)
        scale = float(np.average(constant, weights=weights)) or 1.0
        rows = []
        for name, each in errors.items():
            beyond = gain((constant - each) / scale, weights, groups)
            rows.append(
                {
                    "candidate": name,
                    "held_out": beyond.mean,
                    "error": beyond.error,
                    "seconds": seconds[name],
                }
            )
        scores = pd.DataFrame(rows)
        model = found[choice]
        model.on_progress = None
        attributes = {
            "model_": model,
            "choice_": choice,
            "scores_": scores,
            "reason_": reason(choice, scores, self.unit),
            "n_features_in_": model.n_features_in_,
        }
        for name in CARRIED:
            if hasattr(model, name):
                attributes[name] = getattr(model, name)
        return attributes

    #: what `scores_` measures
    unit: ClassVar[str]

    @abstractmethod
    def _standard(self, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Labels as the candidates predict them when held out."""

    @abstractmethod
    def _pooled(
        self,
        bags: Bags,
        labels: np.ndarray,
        weights: np.ndarray,
        folds: list[np.ndarray],
        groups: np.ndarray | None,
    ) -> Any:
        """The mean-pool candidate, fitted."""

    @abstractmethod
    def _errors(self, y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        """Error of each bag."""

    def _check_parameters(self) -> None:
        given = self.candidates
        if given is not None and (
            not isinstance(given, (list, tuple))
            or not given
            or not all(isinstance(name, str) and name in CANDIDATES for name in given)
        ):
            raise ValueError(
                f"`candidates` must be None or some of {', '.join(CANDIDATES)}, got {given!r}."
            )
        refuse_class_weight(self)
        generator(self.random_state)
        if self.n_jobs is not None and (
            not isinstance(self.n_jobs, Integral) or self.n_jobs == 0 or self.n_jobs is True
        ):
            raise ValueError(
                f"`n_jobs` must be None or an integer other than 0, got {self.n_jobs!r}."
            )
        if not isinstance(self.verbose, (Integral, np.bool_)):
            raise ValueError(f"`verbose` must be True, False or an integer, got {self.verbose!r}.")

    # -- verbs of the chosen model

    @property
    def diagnostics_(self) -> Diagnostics:  # type: ignore[override]
        """What the chosen model says about itself."""
        check_is_fitted(self)
        return self.model_.diagnostics_

    def attend(self, X):
        """Attention weights of the instances of each bag; they sum to one within a bag."""
        return self._model().attend(X)

    def locate(self, X, names=False):
        """Position (or name) of the decisive instance of each bag, (n,); warns when in doubt."""
        return self._model().locate(X, names)

    def explain(self, X, bag=0, id=None, output=None):
        """Instances of bag number `bag` with their weights and contributions."""
        return self._model().explain(X, bag, id, output)

    @available_if(lambda self: hasattr(getattr(self, "model_", None), "agreement"))
    def agreement(self, X):
        """Share of members that name the same instance, where the network was chosen."""
        return self._model().agreement(X)

    def predict(self, X):
        """Predicted label of each bag, (n,)."""
        return self._model().predict(X)

    def _read(self, instances: Instances) -> Reading:
        return self._model()._read(instances)

    def _bags(self, X: Any) -> tuple[Bags, Instances]:
        return self._model()._bags(X)

    def _contributions(self, reading, instances, output=None):
        return self._model()._contributions(reading, instances, output)

    def _model(self) -> Any:
        check_is_fitted(self)
        return self.model_

    # -- files

    def _saved(self) -> Fields:
        state = self.model_._saved()
        facts = {
            "parameters": plain_parameters(self),
            "choice": self.choice_,
            "scores": self.scores_.to_dict(orient="list"),
            "kind": type(self.model_).__name__,
            "model": state.facts,
        }
        return Fields(facts, state.arrays)

    @classmethod
    def _restored(cls, fields: Fields) -> "AutoEstimator":
        """The fitted model from its state; every field is checked."""
        auto = cls(**fields.parameters(cls))
        auto._check_parameters()
        choice = fields.choice("choice", CANDIDATES)
        kind = fields.choice("kind", [each.__name__ for each in cls.kinds.values()])
        state = fields.fact("model")
        if not isinstance(state, dict):
            raise ValueError("field 'model' must be the state of a model")
        model = KINDS[kind]._restored(Fields(state, fields.arrays))
        scores = fields.table("scores", SCORES)
        if scores is None or choice not in set(scores["candidate"]):
            raise ValueError("field 'scores' must tell of the choice")
        auto.model_, auto.choice_, auto.scores_ = model, choice, scores
        auto.reason_ = reason(choice, scores, cls.unit)
        auto.n_features_in_ = model.n_features_in_
        for name in CARRIED:
            if hasattr(model, name):
                setattr(auto, name, getattr(model, name))
        return auto


def coarsest(ways: list[np.ndarray | None]) -> np.ndarray | None:
    """Of several ways to hold bags out together that with the fewest groups; None is one a bag."""
    known = [groups for groups in ways if groups is not None]
    return min(known, key=lambda groups: count_of(groups, len(groups)), default=None)


def simplest_of_best(
    errors: dict[str, np.ndarray],
    constant: np.ndarray,
    weights: np.ndarray,
    groups: np.ndarray | None,
) -> str:
    """The least error; but linear attention unless the network is better by BENT errors.

    Mean pooling answers where not even the best one is better than a constant, or than mean
    pooling, by one error (and by a bit): then nothing is to be pointed at.
    """
    means = {name: float(np.average(each, weights=weights)) for name, each in errors.items()}
    best = min(means, key=lambda name: means[name])
    beyond = gain(constant - errors[best], weights, groups)
    if "mean-pool" in errors:
        as_good = AS_GOOD * float(np.average(constant, weights=weights))
        ahead = gain(errors["mean-pool"] - errors[best], weights, groups)
        if not beyond.mean > beyond.error or ahead.mean <= max(as_good, ahead.error):
            return "mean-pool"
    if best == "network" and "linear" in errors:
        behind = gain(errors["linear"] - errors["network"], weights, groups)
        pooled = means.get("mean-pool", means["linear"])
        if behind.mean < BENT * behind.error and means["linear"] <= pooled:
            return "linear"
    return best


def reason(choice: str, scores: pd.DataFrame, unit: str) -> str:
    """The sentence that the command line and the lab say alike."""
    told = [f"{row.candidate} {row.held_out:.3f}" for row in scores.itertuples()]
    best = scores.loc[scores.held_out.idxmax()]
    beaten_by = best.held_out - scores.held_out[scores.candidate == choice].max()
    if beaten_by == 0:
        said = f"{CANDIDATES[choice]} predicts best the bags it left out"
    elif choice == "linear":
        said = f"linear attention is within {BENT} standard errors of the best on bags left out"
    elif choice == "mean-pool" and best.held_out > best.error:
        said = f"mean pooling is as good as the best on bags left out, to an error or {AS_GOOD:.3f}"
    else:
        said = "nothing is better than a constant by a standard error on bags left out"
    said = f"{said} ({unit}: {', '.join(told)})"
    return f"{said}; it points at nothing" if choice == "mean-pool" else said

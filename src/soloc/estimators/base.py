"""What the linear estimators share: the four stages of a fit, and their files."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from soloc.estimators.agreement import FEWEST_STARTS, fits_to_halves
from soloc.estimators.bags import Bags
from soloc.estimators.coefficients import Coefficients, Reading, bag_means, read
from soloc.estimators.columns import bags_of
from soloc.estimators.diagnostics import Diagnostics
from soloc.estimators.fields import Fields
from soloc.estimators.fitting import Fitted, fit_objective
from soloc.estimators.in_blocks import whole
from soloc.estimators.instances import Instances, centre_and_scale, reach_of, within
from soloc.estimators.labels import labels_for
from soloc.estimators.mean_pool import MeanPool, fit_mean_pool, mean_pool_of
from soloc.estimators.objectives.catalogue import losses_of
from soloc.estimators.objectives.data import Data
from soloc.estimators.objectives.objective import Objective
from soloc.estimators.one_thread import on_one_thread
from soloc.estimators.parameters import (
    adopt,
    checked_groups,
    generator,
    plain_parameters,
    refuse_class_weight,
    refuse_parameters,
)
from soloc.estimators.pointing import PointingEstimator
from soloc.estimators.selection import (
    TYPICAL_ALPHA,
    are_long,
    choose,
    held_out_folds,
    pointed_groups,
    selected_bags,
    shortened,
)
from soloc.estimators.solver import History
from soloc.estimators.stages import Chosen, Entered, Started
from soloc.estimators.starts import best_of, best_starts
from soloc.estimators.telling import Telling, warn
from soloc.estimators.tickets import tickets
from soloc.estimators.weights import weighted

IN_MEMORY = 2**27  # bytes of bags on disk that are rather loaded
SELECTION = {"loss": str, "alpha": float, "key_alpha": float, "mean_key": bool, "held_out": float}


class BagEstimator(PointingEstimator):
    """Attention over the instances of a bag by a linear key."""

    centre_: np.ndarray
    scale_: np.ndarray
    reach_: np.ndarray  #: how far from the centre each feature of a new instance may lie
    coefficients_: Coefficients
    history_: History
    selection_: pd.DataFrame | None
    loss_: str
    alpha_: float
    key_alpha_: float

    #: what `loss` may name
    objectives: ClassVar[Mapping[str, type[Objective]]]
    #: held-out predictions are needed even where there is nothing to choose
    always_holds_out: ClassVar[bool]

    def __init__(
        self,
        loss="auto",
        alpha="auto",
        context=False,
        fit_intercept=True,
        n_starts=32,
        random_state=0,
        max_iter=200,
        tol=1e-5,
    ):
        self.loss = loss
        self.alpha = alpha
        self.context = context
        self.fit_intercept = fit_intercept
        self.n_starts = n_starts
        self.random_state = random_state
        self.max_iter = max_iter
        self.tol = tol

    # -- the fit

    @on_one_thread
    def fit(self, X, y=None, groups=None, verbose=False, sample_weight=None):
        """Fit to bags `X` and one label per bag; `groups` are never split by held-out bags.

        `sample_weight` holds one weight per bag. A weight of two is the same bag twice: at a given
        `alpha` and `loss` both have the same optimum. What held-out bags decide may differ, since a
        weighted bag is held out whole. A bag of weight zero is as if it were not there.

        Without `groups`, bags that share the instance they point at (the same word, the same image)
        are held out together; pass `groups=range(len(y))` where new bags will hold the same
        instances again. A fit that is interrupted leaves the model as it was. With `verbose`, its
        stages and iterations are told on standard error.
        """
        telling = Telling(bool(verbose))
        telling.say("reading and checking bags")
        entered = self._enter(X, y, groups, sample_weight)
        telling.say(f"{entered.bags}: comparing {self.n_starts} starts")
        started = self._start(entered)
        telling.say(f"choosing loss and penalty on {len(started.where)} bags")
        chosen = self._choose(entered, started)
        del started  # its part of the bags takes memory
        telling.say(f"loss {chosen.loss}, alpha {chosen.data.alpha:.4g}: fitting all bags")
        attributes = self._finish(entered, chosen, telling)
        telling.say(attributes["history_"].reason)
        adopt(self, attributes)
        self._warn_about_convergence()
        return self

    def _enter(self, X: Any, y: Any, groups: Any, sample_weight: Any) -> Entered:
        """First stage: everything is checked, and put in standard units."""
        rng = self._check_parameters()
        losses = {name: self.objectives[name] for name in losses_of(self.loss, self.objectives)}
        bags = bags_of(X)
        if bags.values.nbytes <= IN_MEMORY:
            bags = bags.in_memory()
        groups = checked_groups(groups, len(bags))
        labels = labels_for(y, bags, self.several_labels)
        self._refuse_on_disk(bags, groups, labels)
        given = weighted(bags, labels, groups, sample_weight, self)
        bags, weights, groups = given.bags, given.weights, given.groups
        labels, described = self._standard_labels(given.labels, weights)
        units = centre_and_scale(bags, self.fit_intercept, weights)
        instances = Instances(bags, *units, shared=True)
        alpha = None if isinstance(self.alpha, str) else float(self.alpha)
        data = Data(
            instances,
            labels,
            bag_means(instances) if self.context else None,
            self.fit_intercept,
            weights,
            TYPICAL_ALPHA * float(weights.sum()) if alpha is None else alpha,
        )
        pooled = mean_pool_of(data, self.fit_intercept or "classes_" in described)
        lots = tickets(bags, labels, int(rng.integers(2**63)))
        return Entered(bags, data, described, pooled, groups, losses, alpha, rng, lots)

    def _start(self, entered: Entered) -> Started:
        """Second stage: where each loss begins; what is held out later takes no part in it."""
        data, groups = entered.data, entered.groups
        nothing_to_choose = entered.alpha is not None and len(entered.losses) == 1
        where = selected_bags(data, entered.tickets)
        part = data if len(where) == len(data.y) or data.on_disk else data.part(where)
        starts: dict[str, list[Coefficients]]
        if nothing_to_choose and not self.always_holds_out:
            half = (self.n_starts + 1) // 2  # the others are for halves of the bags
            found = self._best_starts(data, entered.losses, entered.pooled, entered, half)
            starts = {name: [begun] for name, begun in found.items()}
            groups = self._groups(entered, next(iter(found.values())))
            part = data.part(where) if data.on_disk else part
            return Started(groups, shortened(part, starts, 1), where, [], starts)
        if groups is None and data.instances.repeated is not None:
            first = next(iter(entered.losses.values()))
            begun = self._best_starts(data, {"": first}, entered.pooled, entered, self.n_starts)[""]
            groups = self._groups(entered, begun)
        together = None if groups is None else groups[where]
        folds = held_out_folds(entered.tickets[where], together, long=are_long(data))
        n_starts = self.n_starts if len(folds) > 1 else (self.n_starts + 1) // 2
        starts = {name: [] for name in entered.losses}
        for fold in folds:
            seen = np.flatnonzero(~fold)
            rest = part.part(where[seen] if data.on_disk else seen)
            pooled = fit_mean_pool(bag_means(rest.instances), rest.y, True, rest.weights)
            lots = entered._replace(tickets=entered.tickets[where][seen])
            found = self._best_starts(rest, entered.losses, pooled, lots, n_starts)
            for name, begun in found.items():
                starts[name].append(begun)
            del rest
        part = data.part(where) if data.on_disk else part
        return Started(groups, shortened(part, starts, len(folds)), where, folds, starts)

    @staticmethod
    def _groups(entered: Entered, found: Coefficients) -> np.ndarray | None:
        """The groups that were given, or bags that share the instance they point at."""
        instances = entered.data.instances
        if entered.groups is not None or instances.repeated is None:
            return entered.groups
        return pointed_groups(instances, entered.data.read(found).attention)

    def _best_starts(
        self,
        data: Data,
        losses: dict[str, type[Objective]],
        pooled: MeanPool,
        entered: Entered,
        n_starts: int,
    ) -> dict[str, Coefficients]:
        """The best of many starts, for each loss."""
        return best_starts(data, losses, pooled, n_starts, entered.rng, entered.tickets, self.tol)

    def _choose(self, entered: Entered, started: Started) -> Chosen:
        """Third stage: loss and penalty, by held-out bags where they are not given."""
        data = entered.data
        if not started.folds:
            loss, starts = next(iter(started.starts.items()))
            chosen = Chosen(loss, data, starts[0], started.groups)
            return self._vouched(entered, started.part, chosen, False)
        choice = choose(
            started.part,
            entered.losses,
            entered.alpha,
            started.starts,
            started.folds,
            tol=self.tol,
        )
        trial = choice.trial
        predictions = np.full(data.y.shape, np.nan)
        predictions[started.where] = choice.predictions
        penalised = data._replace(
            alpha=trial.alpha, key_share=trial.data.key_share, key_prior=trial.data.key_prior
        )
        start, several = trial.found[0], len(trial.found) > 1
        if several:
            start = best_of(entered.losses[trial.loss](trial.data), trial.found, self.tol)
        chosen = Chosen(trial.loss, penalised, start, started.groups, choice.scores, predictions)
        return self._vouched(entered, trial.data, chosen, several)

    def _vouched(self, entered: Entered, part: Data, chosen: Chosen, several: bool) -> Chosen:
        """With fits to two halves of the bags, which vouch for pointing and may be better starts.

        After `several` searches they have half of the starts each, else a quarter, and the one
        search before had the other half. The `part` of the bags decides which start is better.
        """
        kind = entered.losses[chosen.loss]
        n_starts = max(self.n_starts // (2 if several else 4), FEWEST_STARTS)
        halves = fits_to_halves(
            chosen.data,
            kind,
            chosen.start,
            chosen.groups,
            n_starts,
            entered.rng,
            entered.tickets,
            self.tol,
        )
        start = chosen.start
        if halves and self.n_starts >= 2 * n_starts:  # else they had more than were asked for
            start = best_of(kind(part), [start, *halves], self.tol)
        return chosen._replace(start=start, halves=halves)

    def _finish(self, entered: Entered, chosen: Chosen, telling: Telling) -> dict[str, Any]:
        """Fourth stage: the fit to all bags, and everything that is said about it."""
        data = chosen.data
        objective = whole(entered.losses[chosen.loss], data)
        fitted = fit_objective(
            objective,
            chosen.start,
            max_iter=self.max_iter,
            tol=self.tol,
            progress=telling.watched(self.on_progress),
        )
        telling.say(f"{fitted.history.iterations} iterations: describing the fit")
        attributes: dict[str, Any] = {
            "centre_": data.instances.centre,
            "scale_": data.instances.scale,
            "reach_": reach_of(entered.bags, data.instances.centre),
            "loss_": chosen.loss,
            "alpha_": data.alpha,
            "key_alpha_": data.alpha * data.key_share,
            "selection_": chosen.scores,
            "history_": fitted.history,
            "n_features_in_": entered.bags.width,
            "columns_aside_": list(entered.bags.aside),
        }
        if entered.bags.features is not None:
            attributes["feature_names_in_"] = np.array(entered.bags.features, dtype=object)
        attributes |= entered.labels | self._describe(entered, chosen, fitted)
        return attributes | self._in_units(attributes)

    @abstractmethod
    def _standard_labels(
        self, labels: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Labels as the objectives want them, and the attributes that lead back."""

    @abstractmethod
    def _describe(self, entered: Entered, chosen: Chosen, fitted: Fitted) -> dict[str, Any]:
        """Coefficients, diagnostics, and what else the last fit found out."""

    @abstractmethod
    def _in_units(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """Key, value and intercept in the units of the data, from those in standard units."""

    # -- files

    def _saved(self) -> Fields:
        """The fitted state as plain facts and arrays."""
        found = self.coefficients_
        arrays = {
            "centre": self.centre_,
            "scale": self.scale_,
            "reach": self.reach_,
            "key": found.key,
            "value": found.value,
            "intercept": np.asarray(found.intercept, dtype=np.float64),
        }
        if found.context is not None:
            arrays["context"] = found.context
        selection = None if self.selection_ is None else self.selection_.to_dict(orient="list")
        facts = {
            "parameters": plain_parameters(self),
            "loss": self.loss_,
            "alpha": float(self.alpha_),
            "key_alpha": float(self.key_alpha_),
            "noise": float(found.noise),
            "n_features": int(self.n_features_in_),
            "feature_names": [str(name) for name in getattr(self, "feature_names_in_", [])],
            "columns_aside": list(self.columns_aside_),
            "history": vars(self.history_),
            "diagnostics": self.diagnostics_._asdict(),
            "selection": selection,
        }
        return Fields(facts, arrays)

    @classmethod
    def _restored(cls, fields: Fields) -> "BagEstimator":
        """The fitted model from its state; every field is checked."""
        model = cls(**fields.parameters(cls))
        model._check_parameters()
        loss = fields.choice("loss", model.objectives)
        d = fields.integer("n_features", least=1)
        shape = model._shape_of_value(fields, d)
        attributes = {
            "centre_": fields.array("centre", (d,)),
            "scale_": fields.array("scale", (d,), positive=True, finite=False),
            "reach_": fields.array("reach", (d,), positive=True, finite=False),
            "loss_": loss,
            "alpha_": fields.number("alpha", least=0.0),
            "key_alpha_": fields.number("key_alpha", least=0.0),
            "n_features_in_": d,
            "columns_aside_": fields.texts("columns_aside"),
            "history_": fields.record("history", History),
            "diagnostics_": fields.record("diagnostics", Diagnostics),
            "selection_": fields.table("selection", SELECTION),
            "coefficients_": Coefficients(
                fields.array("key", (d,)),
                fields.array("value", shape),
                fields.array("context", shape) if model.context else None,
                fields.array("intercept", shape[1:])
                if len(shape) == 2
                else fields.scalar("intercept"),
                fields.number("noise", least=0.0),
            ),
        }
        names = fields.texts("feature_names", count=(0, d))
        if names:
            attributes["feature_names_in_"] = np.array(names, dtype=object)
        attributes |= model._restored_labels(fields)
        model.__dict__ |= attributes | model._in_units(attributes)
        return model

    def _shape_of_value(self, fields: Fields, d: int) -> tuple[int, ...]:
        """Shape of the value in a file."""
        return (d,)

    @abstractmethod
    def _restored_labels(self, fields: Fields) -> dict[str, Any]:
        """Attributes that describe the labels, from a file."""

    # -- shared work

    def _bags(self, X: Any) -> tuple[Bags, Instances]:
        """Bags whose features lie within reach, and their instances in standard units."""
        bags, instances = super()._bags(X)
        near = within(bags, self.centre_, self.reach_)
        return near, instances if near is bags else Instances(near, self.centre_, self.scale_)

    def _read(self, instances: Instances) -> Reading:
        context = bag_means(instances) if self.coefficients_.context is not None else None
        return read(self.coefficients_, instances, context)

    def _refuse_on_disk(self, bags: Bags, groups: np.ndarray | None, labels: np.ndarray) -> None:
        """Refuse what needs all instances in memory at once."""
        if bags.on_disk and (self.context or groups is not None):
            raise ValueError(
                "bags that stay on disk are fitted without `context` and `groups`; load them with"
                " `bags[:]` if they fit into memory, or leave these out."
            )
        if bags.on_disk and labels.ndim == 2:
            raise ValueError(
                "bags that stay on disk are fitted to one column of `y`; load them with `bags[:]`"
                " if they fit into memory, or fit the columns one by one."
            )

    def _check_parameters(self) -> np.random.Generator:
        """Refuse parameters that cannot be; the generator of `random_state`."""
        losses_of(self.loss, self.objectives)
        refuse_parameters(self)
        refuse_class_weight(self)
        return generator(self.random_state)

    def _warn_about_convergence(self) -> None:
        if not self.history_.converged:
            warn(
                f"the fit did not converge: {self.history_.reason}; raise `max_iter`, raise"
                " `alpha`, or standardise the labels.",
                ConvergenceWarning,
            )

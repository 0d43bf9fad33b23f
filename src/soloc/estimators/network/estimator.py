"""What the network regressor and the network classifier share: the fit, and its file."""

from abc import abstractmethod
from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from soloc.estimators.coefficients import Reading, bag_means
from soloc.estimators.columns import bags_of
from soloc.estimators.diagnostics import AGREED, Diagnostics, PointingWarning, concentration
from soloc.estimators.fields import Fields
from soloc.estimators.groups import count_of, means_of_others
from soloc.estimators.instances import Instances, centre_and_scale
from soloc.estimators.labels import labels_for
from soloc.estimators.mean_pool import fit_mean_pool, without_folds
from soloc.estimators.network.batches import Stock, principal, stock_of
from soloc.estimators.network.context import (
    LEAST_SHARE,
    features_of,
    fit_context,
    kernel_context,
    mixed,
    nothing_for,
    safe_share_of,
    said_by,
)
from soloc.estimators.network.ensemble import (
    FEW,
    Ensemble,
    Place,
    decays_of,
    excess,
    fit_all,
    fit_ensemble,
    folds_of,
    left_out,
    members_of,
    parts_of,
)
from soloc.estimators.network.forest import Forest
from soloc.estimators.network.kept import attributes_from, fields_of
from soloc.estimators.network.kernel import Kernel, sums_of_bags
from soloc.estimators.network.layer import Shape, Weights, forward
from soloc.estimators.network.losses import Loss
from soloc.estimators.network.member import Plan
from soloc.estimators.network.reading import named_by, pairs_agree, read_ensemble, stacked
from soloc.estimators.one_thread import on_one_thread
from soloc.estimators.parameters import (
    adopt,
    checked_groups,
    generator,
    is_real,
    is_word,
    refuse_class_weight,
)
from soloc.estimators.pointing import PointingEstimator
from soloc.estimators.selection import pointed_groups
from soloc.estimators.solver import History
from soloc.estimators.telling import warn
from soloc.estimators.tickets import tickets
from soloc.estimators.weights import weighted

KEY_UNITS = 8
WIDE, COMPONENTS = 300, 64  # of more features a network of few bags sees so many components
SHORT, SHORT_DECAY = 8, 1.5  # epochs of the member that only tells which bags belong together
WITNESSES = "two members of the ensemble"
ALONE = "the only member and a pick at random"
TREES, KERNEL = "boosted trees on bag means", "kernel regression on bag statistics"  # as rivals
LEAST_LEFT = 0.25  # of the error of a bag left out, however much the members differ
MOST_WITNESSED = 4096  # bags on which agreement is measured


class Prepared(NamedTuple):
    """Bags at the door of a fit, in the order of their tickets."""

    instances: Instances
    stock: Stock
    y: np.ndarray  #: labels in standard units, (n, outputs)
    weights: np.ndarray  #: of the bags, in units of their mean
    tickets: np.ndarray
    groups: np.ndarray | None
    order: np.ndarray  #: positions of the bags as they were given
    attributes: dict[str, Any]


class NetworkEstimator(PointingEstimator):
    """Attention and value on one hidden layer, averaged over members."""

    loss: ClassVar[type[Loss]]

    members_: Weights
    forests_: list[Forest]
    kernel_: Kernel | None
    share_: float
    shrink_: float
    constant_: np.ndarray
    decay_: float
    selection_: pd.DataFrame | None
    history_: pd.DataFrame

    def __init__(
        self,
        decay="auto",
        units=64,
        members="auto",
        context=True,
        max_epochs=80,
        random_state=0,
        n_jobs=None,
        verbose=0,
    ):
        self.decay = decay
        self.units = units
        self.members = members
        self.context = context
        self.max_epochs = max_epochs
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # -- the fit

    @on_one_thread
    def fit(self, X, y=None, groups=None, sample_weight=None):
        """Fit to bags `X` and one label per bag; `groups` are never split by held-out bags.

        `sample_weight` holds one weight per bag. In every loss, slope and held-out error a bag of
        weight two counts exactly like the same bag twice; members draw other batches, so that the
        fits are as alike as those of two seeds. A bag of weight zero is as if it were not there.
        Without `groups`, bags that share the instance they point at are held out together, as the
        linear classes do it. A fit that is interrupted leaves the model as it was.
        """
        rng = self._check_parameters()
        given = self._prepare(X, y, groups, sample_weight, rng)
        whole, turn = given, None
        if len(given.y) < FEW and given.stock.width > WIDE:
            stock, turn = principal(given.stock, COMPONENTS)
            given = given._replace(stock=stock)
        seed = int(rng.integers(2**31))
        plan = Plan(
            self.loss,
            Shape(given.stock.width, self.units, KEY_UNITS, given.y.shape[1]),
            self.max_epochs,
        )
        groups = given.groups
        if groups is None and given.instances.repeated is not None:
            groups = self._groups_by_pointing(given, plan, seed)
        fold_of = folds_of(given.tickets, groups)
        n = len(given.y)
        units = count_of(groups, n)
        count = members_of(n, units) if self.members == "auto" else int(self.members)
        decays = decays_of(n, units) if self.decay == "auto" else (float(self.decay),)
        ensemble = fit_ensemble(
            given.stock, plan, decays, fold_of, count, groups, seed, self.n_jobs, self._watch()
        )
        if turn is not None:  # the turn becomes a part of the layer
            ensemble = ensemble._replace(members=[m.turned(turn) for m in ensemble.members])
        adopt(self, given.attributes | self._found(whole, ensemble, groups, seed))
        return self

    def _prepare(
        self, X: Any, y: Any, groups: Any, sample_weight: Any, rng: np.random.Generator
    ) -> Prepared:
        """Everything is checked and put in standard units; tickets decide the order of bags."""
        bags = bags_of(X).in_memory()
        groups = checked_groups(groups, len(bags))
        labels = labels_for(y, bags, self.several_labels)
        given = weighted(bags, labels, groups, sample_weight, self)
        bags, weights, groups = given.bags, given.weights, given.groups
        labels, described = self._standard_labels(given.labels, weights)
        lots = tickets(bags, labels, int(rng.integers(2**63)))
        order = np.argsort(lots, kind="stable")
        centre, scale = rounded(*centre_and_scale(bags, True, weights))
        instances = Instances(bags, centre, scale, shared=True)
        stock = stock_of(instances, labels, weights)
        stock = stock._replace(
            starts=stock.starts[order],
            lengths=stock.lengths[order],
            y=stock.y[order],
            weights=stock.weights[order],
        )
        attributes: dict[str, Any] = {
            "centre_": centre,
            "scale_": scale,
            "n_features_in_": bags.width,
            "columns_aside_": list(bags.aside),
        }
        if bags.features is not None:
            attributes["feature_names_in_"] = np.array(bags.features, dtype=object)
        return Prepared(
            instances,
            stock,
            labels.reshape(len(labels), -1)[order],
            weights[order] / weights.mean(),
            lots[order],
            None if groups is None else groups[order],
            order,
            attributes | described,
        )

    def _groups_by_pointing(self, given: Prepared, plan: Plan, seed: int) -> np.ndarray | None:
        """Bags that point at the same instance, by one member that does not know of them yet."""
        fold_of = folds_of(given.tickets, None)
        place, short = Place(0, SHORT_DECAY, seed), plan._replace(max_epochs=SHORT)
        [member] = fit_all(given.stock, short, fold_of, [place], None, None)
        attention = np.empty(given.instances.count, dtype=np.float32)
        order, stock = given.order, given.stock
        for bags in stock.pieces(np.arange(len(order))):
            batch = stock.batch(bags)
            said = forward(member.weights, batch)
            rows = (stock.starts[bags] - batch.starts)[batch.owner]
            attention[rows + np.arange(len(rows))] = said.attention
        groups = pointed_groups(given.instances, attention)
        return None if groups is None else groups[order]

    def _found(
        self, given: Prepared, ensemble: Ensemble, groups: np.ndarray | None, seed: int
    ) -> dict[str, Any]:
        """Members, context, and everything that is said about them."""
        y, weights, order = given.y, given.weights, given.order
        means = bag_means(given.instances)[order]
        honest = left_out(ensemble, given.stock, self.loss, parts_of(groups, len(y)))
        beyond = excess(ensemble, given.stock, self.loss)
        context = nothing_for(y)
        if self.context:
            total = float(np.average(beyond.sum(axis=1), weights=weights))
            asked = y, weights, ensemble, honest, total, not self.loss.averaged
            if len(y) < FEW:
                context = kernel_context(sums_of_bags(given.instances)[order], *asked, groups)
            else:
                context = fit_context(features_of(means, given.stock.lengths), *asked, seed)
        if context.share:
            honest = mixed(honest, context.left_out, context.share, not self.loss.averaged)
            beyond = (1 - context.share) ** 2 * beyond
        constant = weights @ y / weights.sum()
        everywhere = np.broadcast_to(constant, y.shape)
        folds = [ensemble.fold_of == fold for fold in range(int(ensemble.fold_of.max()) + 1)]
        nothing = means_of_others(y, weights, folds)

        def shrink_by(bags: Any) -> float:
            """As one member asks, not the ensemble: safer on noise."""
            together = None if groups is None else groups[bags]
            share = safe_share_of(y[bags], honest[bags], everywhere[bags], weights[bags], together)
            return share if share >= LEAST_SHARE else 0.0

        # judged as other folds ask: a share that was fitted to the labels themselves flatters
        judged = honest.copy()
        for fold in folds:
            judged[fold] += shrink_by(~fold) * (nothing[fold] - honest[fold])
        shrink = shrink_by(slice(None))
        honest = (1 - shrink) * honest + shrink * nothing
        labels = y if y.shape[1] > 1 else y[:, 0]
        pooled = fit_mean_pool(means, labels, True, weights)
        pooled = without_folds(pooled, means, labels, weights, folds, True)
        by_ridge = pooled.left_out.reshape(y.shape)
        of_bags = context if context_is_better(y, by_ridge, context.left_out, weights) else None
        baseline = by_ridge if of_bags is None else known(of_bags.left_out, by_ridge)
        parameters = stacked(ensemble.members)
        unseen = np.isfinite(honest).all(axis=1)
        together = None if groups is None else groups[unseen]
        judged, baseline = judged[unseen], baseline[unseen]
        scores = self._scores(y[unseen], judged, baseline, weights[unseen], together)
        honest = self._as_one(honest, (1 - shrink) ** 2 * beyond, y)
        rows = [
            {"member": number, "epoch": epoch, "error": error}
            for number, member in enumerate(ensemble.members)
            for epoch, error in enumerate(member.epochs)
        ]
        tried = [{"decay": d, "error": e} for d, e in ensemble.scores.items()]
        attributes = {
            "members_": parameters,
            "held_out_": honest[np.argsort(order)],
            "groups_": None if groups is None else groups[np.argsort(order)],
            "forests_": context.forests,
            "kernel_": context.kernel,
            "share_": context.share,
            "shrink_": shrink,
            "constant_": constant,
            "decay_": ensemble.decay,
            "history_": pd.DataFrame(rows),
            "selection_": pd.DataFrame(tried) if tried else None,
        }
        seen = given.instances.bags[np.sort(order[:MOST_WITNESSED])]
        witnessed = Instances(seen, given.instances.centre, given.instances.scale)
        reading, attention = read_ensemble(parameters, witnessed)
        several = witnessed.lengths > 1
        chance = float(np.mean(1.0 / witnessed.lengths[several])) if several.any() else 1.0
        alone = len(ensemble.members) < 2  # who agrees with nobody but himself is no witness
        evidence = [
            *scores,
            chance if alone else pairs_agree(named_by(attention, witnessed), several),
            chance,
            *concentration(reading.attention, witnessed),
            ALONE if alone else WITNESSES,
        ]
        if of_bags is not None:
            evidence.append(TREES if of_bags.kernel is None else KERNEL)
        attributes["diagnostics_"] = Diagnostics(*evidence)
        errors = np.abs(y - honest)[unseen]
        independent = count_of(together, int(unseen.sum()))
        return attributes | self._calibrated(errors, weights[unseen], ensemble, independent)

    def _as_one(self, honest: np.ndarray, beyond: np.ndarray, y: np.ndarray) -> np.ndarray:
        """What members say of bags they left out, as if the whole ensemble had left them out."""
        return honest

    def _watch(self) -> Callable[[list[float]], Any] | None:
        """What is told after each epoch."""
        progress = self.on_progress
        if progress is None and not self.verbose:
            return None

        def watch(trace: list[float]) -> None:
            if self.verbose:
                print(f"epoch {len(trace) - 1}: error of bags left out {trace[-1]:.5g}")
            if progress is not None:
                progress(History([*trace], len(trace) - 1))

        return watch

    def _check_parameters(self) -> np.random.Generator:
        """Refuse parameters that cannot be; the generator of `random_state`."""
        if not is_word(self.decay, "auto") and not (is_real(self.decay) and 0 <= self.decay <= 100):
            raise ValueError(
                f'`decay` must be a number from 0 to 100 or "auto", got {self.decay!r}.'
            )
        for name, most in (("units", 4096), ("max_epochs", 10**6), ("members", 1000)):
            value = getattr(self, name)
            if name == "members" and isinstance(value, str) and value == "auto":
                continue
            whole = isinstance(value, Integral) and not isinstance(value, bool)
            if not whole or not 1 <= value <= most:
                raise ValueError(f"`{name}` must be an integer from 1 to {most}, got {value!r}.")
        if not isinstance(self.context, (bool, np.bool_)):
            raise ValueError(f"`context` must be True or False, got {self.context!r}.")
        if self.n_jobs is not None and (
            not isinstance(self.n_jobs, Integral) or self.n_jobs == 0 or self.n_jobs is True
        ):
            raise ValueError(
                f"`n_jobs` must be None or an integer other than 0, got {self.n_jobs!r}."
            )
        if not isinstance(self.verbose, (Integral, np.bool_)):
            raise ValueError(f"`verbose` must be True, False or an integer, got {self.verbose!r}.")
        refuse_class_weight(self)
        return generator(self.random_state)

    @abstractmethod
    def _standard_labels(
        self, labels: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Labels as the loss wants them, and the attributes that lead back."""

    @abstractmethod
    def _scores(
        self,
        y: np.ndarray,
        predicted: np.ndarray,
        pooled: np.ndarray,
        weights: np.ndarray,
        groups: np.ndarray | None,
    ) -> Any:
        """The first five entries of `Diagnostics`."""

    def _calibrated(
        self, errors: np.ndarray, weights: np.ndarray, ensemble: Ensemble, units: int
    ) -> dict[str, Any]:
        """What else is learnt from bags left out."""
        return {}

    # -- files

    def _saved(self) -> Fields:
        return fields_of(self)

    @classmethod
    def _restored(cls, fields: Fields) -> "NetworkEstimator":
        """The fitted model from its state; every field is checked."""
        model = cls(**fields.parameters(cls))
        model._check_parameters()
        outputs = fields.integer("outputs", least=1)
        model.__dict__ |= attributes_from(fields, outputs) | model._restored_labels(fields, outputs)
        return model

    @abstractmethod
    def _restored_labels(self, fields: Fields, outputs: int) -> dict[str, Any]:
        """Attributes that describe the labels, from a file."""

    # -- what a fitted model says about bags

    def _warn_when_in_doubt(self, instances: Instances | None = None) -> None:
        """A doubt is also that the members do not agree on these bags; see `agreement`."""
        super()._warn_when_in_doubt()
        if instances is None or self.diagnostics_.doubts or not (instances.lengths > 1).any():
            return
        several = instances.lengths > 1
        chance = float(np.mean(1.0 / instances.lengths[several]))
        attention = read_ensemble(self.members_, instances)[1]
        agreed = pairs_agree(named_by(attention, instances), several)
        if agreed - chance < AGREED * (1 - chance):
            warn(
                f"do not trust which instance is named: on these bags {WITNESSES} name the same"
                f" instance in {agreed:.0%}, by chance they would in {chance:.0%}.",
                PointingWarning,
            )

    def agreement(self, X):
        """Share of the members that name the instance which the ensemble names, (n,).

        Where all agree, pointing is right far more often than where they do not.
        """
        _, instances = self._bags(X)
        reading, attention = read_ensemble(self.members_, instances)
        named = named_by(np.vstack([reading.attention[None], attention]), instances)
        return np.mean(named[1:] == named[0], axis=0)

    def _read(self, instances: Instances) -> Reading:
        return read_ensemble(self.members_, instances)[0]

    def _by_context(self, instances: Instances) -> np.ndarray:
        """What trees or kernel predict, in standard units, (n, outputs)."""
        classes = not self.loss.averaged
        if self.kernel_ is not None:
            return self.kernel_.said(sums_of_bags(instances), classes)
        features = features_of(bag_means(instances), instances.lengths)
        return np.mean([said_by(each, features, classes) for each in self.forests_], axis=0)


def rounded(centre: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both to 20 bits of the scale: sums in another order then give the very same network."""
    mantissa, exponent = np.frexp(scale)
    scale = np.ldexp(np.round(mantissa * 2.0**20) / 2.0**20, exponent)
    unit = np.where(np.isfinite(scale) & (scale > 0), scale * 2.0**-20, 1.0)
    return np.round(centre / unit) * unit, scale


def context_is_better(
    y: np.ndarray, by_ridge: np.ndarray, by_context: np.ndarray, weights: np.ndarray
) -> bool:
    """Whether the context predicts bags left out better than ridge on means; neither points."""
    seen = np.isfinite(by_context).all(axis=1)
    errors = [weights[seen] @ (y - each)[seen] ** 2 for each in (by_ridge, by_context)]
    return bool(errors[1].sum() < errors[0].sum())


def known(these: np.ndarray, those: np.ndarray) -> np.ndarray:
    """These predictions, or those where there are none."""
    return np.where(np.isfinite(these).all(axis=1)[:, None], these, those)

"""Single-location classification for the user's own bags, binary and multiclass."""

import numpy as np
from scipy.special import softmax
from sklearn.base import ClassifierMixin

from soloc.estimators.base import SingleLocation
from soloc.estimators.classes import ClassProblem, class_probabilities
from soloc.estimators.diagnostics import Diagnostics, concentration
from soloc.estimators.fitting import SHORT, START_BAGS, TYPICAL_ALPHA, fit_head, subset
from soloc.estimators.labels import classes, labels_for
from soloc.estimators.mean_pool import MeanPool, fit_mean_pool, without_folds
from soloc.estimators.model import Head, bag_means, read
from soloc.estimators.selection import held_out_folds, pointed_groups, select
from soloc.estimators.solver import minimise
from soloc.estimators.starts import best_scale, start_directions
from soloc.estimators.tokens import Tokens, centre_and_scale

LOGITS = 4.0  # slope of the logit per unit of least-squares slope at even odds


class SingleLocationClassifier(ClassifierMixin, SingleLocation):
    """Classification of bags of instances of which one decides the class, and nobody says which.

    Parameters
    ----------
    loss : {"auto", "likelihood", "squared"}, default "auto"
        "likelihood": the decisive instance is latent and draws the class, p(y|X) = sum_l p_l
        softmax(x_l V + b)_y. "squared": the counterpart of the regressor's squared loss,
        cross-entropy of the pooled logits softmax(sum_l p_l x_l V + b). "auto" asks held-out bags.
    alpha : float or "auto", default "auto"
        Penalty alpha |V|^2 / 2 on the log-likelihood, features in standard units. "auto" asks
        held-out bags.
    context, fit_intercept, n_starts, random_state, max_iter, tol
        As for `SingleLocationRegressor`.

    Attributes
    ----------
    classes_ : array of the labels seen
    key_ : array of shape (d,)
    value_ : array of shape (d, classes)
        Logits of an instance are `x @ value_ + intercept_`, in the units of the data.
    intercept_ : array of shape (classes,)
    context_coef_ : array of shape (d, classes) or None
    loss_, alpha_, selection_, history_, n_iter_, diagnostics_, n_features_in_
        As for `SingleLocationRegressor`; held-out scores in `diagnostics_` are accuracies.

    Examples
    --------
    >>> from soloc.datasets import make_single_location
    >>> data = make_single_location(600, width=10, random_state=0)
    >>> model = SingleLocationClassifier(alpha=1.0).fit(data.bags, data.labels > 0)
    >>> bool(model.score(data.bags, data.labels > 0) > 0.85)
    True
    """

    def fit(self, X, y=None, groups=None):
        """Fit to bags `X` and one class per bag; `groups` are never split between fitting and
        held-out bags."""
        rng = self._check_parameters()
        bags, groups = self._enter(X, groups)
        self.classes_, one_hot = classes(labels_for(y, bags))
        self.centre_, self.scale_ = centre_and_scale(bags, self.fit_intercept)
        tokens = Tokens(bags, self.centre_, self.scale_, shared=True)
        means = bag_means(tokens)
        pooled = fit_mean_pool(means, one_hot, True)
        problem = ClassProblem(tokens, one_hot, means if self.context else None, self.fit_intercept)
        losses = ["squared", "likelihood"] if self.loss == "auto" else [self.loss]
        alpha = None if isinstance(self.alpha, str) else float(self.alpha)
        first = TYPICAL_ALPHA * len(bags) if alpha is None else alpha
        starts = class_starts(problem, losses, first, pooled, self.n_starts, rng, self.tol)
        if groups is None:
            groups = pointed_groups(
                tokens, read(starts[losses[0]], tokens, problem.context).attention
            )
        choice = select(problem, losses, alpha, starts, groups, rng, tol=self.tol)
        self.selection_, self.loss_, self.alpha_ = (
            choice.scores,
            choice.trial.loss,
            choice.trial.alpha,
        )
        fitted = fit_head(
            problem,
            self.loss_,
            self.alpha_,
            np.ones(len(bags)),
            choice.trial.heads[0],
            max_iter=self.max_iter,
            tol=self.tol,
            progress=self.on_progress,
        )
        self.head_, self.history_ = fitted.head, fitted.history
        if groups is not None:
            folds = held_out_folds(len(bags), groups, rng, every=True)
            pooled = without_folds(pooled, bag_means(tokens), one_hot, folds, True)
        self._describe(problem, pooled, choice.predictions)
        self._warn_about_convergence()
        return self

    def _describe(self, problem: ClassProblem, pooled: MeanPool, held_out: np.ndarray) -> None:
        """Diagnostics, and the fitted attributes in the units of the data."""
        head = self.head_
        self._set_units()
        seen = np.isfinite(held_out).all(axis=1)
        truth = np.argmax(problem.y[seen], axis=1)
        attention = read(head, problem.tokens, problem.context).attention
        self.diagnostics_ = Diagnostics(
            float(np.mean(np.argmax(held_out[seen], axis=1) == truth)),
            float(np.mean(np.argmax(pooled.left_out[seen], axis=1) == truth)),
            float(np.max(np.bincount(truth)) / len(truth)),
            *concentration(attention, problem.tokens),
        )

    def _set_units(self) -> None:
        """Key, values and intercept in the units of the data, from the head in standard units."""
        head = self.head_
        self.key_, self.value_ = head.key / self.scale_, head.value / self.scale_[:, None]
        self.context_coef_ = None if head.context is None else head.context / self.scale_[:, None]
        at_centre = self.centre_ @ (
            self.value_ if self.context_coef_ is None else self.value_ + self.context_coef_
        )
        self.intercept_ = head.intercept - at_centre
        self.n_iter_ = self.history_.iterations

    def _contributions(self, reading, tokens, output=None):
        """Value of each instance for the predicted class (or class number `output`) of the one bag,
        and the offset."""
        if output is None:
            output = int(np.argmax(class_probabilities(reading, tokens, self.loss_)[0]))
        logits = reading.values.astype(np.float64)
        if self.loss_ == "likelihood":
            return softmax(logits + reading.offset[0], axis=1)[:, output], 0.0
        return logits[:, output], float(reading.offset[0, output])

    def predict_proba(self, X):
        """Probability of each class, (n, classes), in the order of `classes_`."""
        _, tokens = self._bags(X)
        return class_probabilities(self._read(tokens), tokens, self.loss_)

    def predict(self, X):
        """The most probable class of each bag, (n,)."""
        probability = self.predict_proba(X)
        return self.classes_[np.argmax(probability, axis=1)]


def class_starts(
    problem: ClassProblem,
    losses: list[str],
    alpha: float,
    pooled: MeanPool,
    n_starts: int,
    rng: np.random.Generator,
    tol: float,
) -> dict[str, Head]:
    """For each loss the best of several starts after a few iterations; least squares decides sign
    and scale of the key."""
    small = subset(problem, START_BAGS, rng)
    least_squares = small.least_squares(alpha)
    centred = problem.y - problem.y.mean(axis=0)
    heads = []
    for direction in start_directions(problem.tokens, centred, pooled.coef, n_starts, rng):
        heads.append(as_logits(least_squares.head(best_scale(least_squares.value, direction))))
    heads = heads or [as_logits(least_squares.head(np.zeros(problem.tokens.x.shape[1])))]
    best = {}
    for loss in losses:
        objective = small.objective(loss, alpha, np.ones(len(small.y)))
        found = []
        for head in heads:
            point = objective.point(head)
            solution = minimise(objective, point, objective.metric(point), max_iter=SHORT, tol=tol)
            found.append((solution.value, objective.head(solution.point)))
        best[loss] = min(found, key=lambda pair: pair[0])[1]
    return best


def as_logits(head: Head) -> Head:
    """A least-squares head as one whose values are logits."""
    context = None if head.context is None else LOGITS * head.context
    return Head(head.key, LOGITS * head.value, context, LOGITS * np.asarray(head.intercept))

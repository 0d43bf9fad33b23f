"""Rivals of the estimators: gated attention-MIL in PyTorch, mikit-learn, mean-pool ridge, boosted
trees on pooled statistics, and boosted trees after a locator of ours.

Each takes bags, labels and a seed and returns a function from bags to predictions, or this and one
from bags to positions. torch, mikit-learn and lightgbm are imported only here, and only when called
(`pip install torch lightning`, then `pip install --no-deps mikit-learn`).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import RidgeCV

EPOCHS, PATIENCE, BATCH, HIDDEN = 200, 20, 64, 64
LEARNING_RATE, WEIGHT_DECAY = 1e-3, 1e-4
GRID = ((1e-3, 1e-4), (3e-3, 1e-4), (1e-3, 1e-2))  # learning rate, weight decay
MEMBERS = 3
LOCATOR_FOLDS = 3  # of the locator before a second stage


class Network(NamedTuple):
    """A fitted rival: predictions of bags, attention of their instances, its held-out error."""

    predict: Callable
    attend: Callable
    error: float


def attention_mil(bags, labels, seed):
    """One gated-attention network with the settings that people use."""
    return gated_attention(bags, labels, seed, LEARNING_RATE, WEIGHT_DECAY).predict


def tuned_attention_mil(bags, labels, seed, count=MEMBERS):
    """The best of a small grid by its own held-out bags, and more members of that setting.

    Gives predictions and the position with the largest mean attention of `count` members.
    """
    tried = {setting: gated_attention(bags, labels, seed, *setting) for setting in GRID}
    setting = min(tried, key=lambda each: tried[each].error)
    members = [tried[setting]]
    members += [gated_attention(bags, labels, seed + 100 * i, *setting) for i in range(1, count)]

    def predict(some):
        return np.mean([member.predict(some) for member in members], axis=0)

    def locate(some):
        return np.argmax(np.mean([member.attend(some) for member in members], axis=0), axis=1)

    return predict, locate


def gated_attention(bags, labels, seed, rate, decay):
    """Gated attention (Ilse, Tomczak and Welling 2018) on a hidden layer, Adam, early stopping on a
    fifth of the bags."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    mean, scale = bags.values.mean(axis=0), bags.values.std(axis=0) + 1e-9
    middle, spread = labels.mean(), labels.std()
    longest = int(bags.lengths.max())

    def padded(some):
        width = max(longest, int(some.lengths.max()))
        x = np.zeros((len(some), width, some.width), dtype=np.float32)
        mask = np.arange(width) < some.lengths[:, None]
        x[mask] = (some.values - mean) / scale
        return torch.from_numpy(x), torch.from_numpy(mask)

    class Gated(torch.nn.Module):
        def __init__(self, width):
            super().__init__()
            self.embed = torch.nn.Sequential(torch.nn.Linear(width, HIDDEN), torch.nn.ReLU())
            self.tanh, self.gate = torch.nn.Linear(HIDDEN, HIDDEN), torch.nn.Linear(HIDDEN, HIDDEN)
            self.score, self.out = torch.nn.Linear(HIDDEN, 1), torch.nn.Linear(HIDDEN, 1)

        def forward(self, x, mask):
            h = self.embed(x)
            score = self.score(torch.tanh(self.tanh(h)) * torch.sigmoid(self.gate(h)))[..., 0]
            weight = torch.softmax(score.masked_fill(~mask, -1e9), dim=1)
            return self.out((weight[..., None] * h).sum(dim=1))[:, 0], weight

    x, mask = padded(bags)
    y = torch.from_numpy(((labels - middle) / spread).astype(np.float32))
    order = rng.permutation(len(bags))
    held, kept = order[: len(bags) // 5], order[len(bags) // 5 :]
    network = Gated(bags.width)
    optimiser = torch.optim.Adam(network.parameters(), lr=rate, weight_decay=decay)
    best, best_state, since = np.inf, None, 0
    for _ in range(EPOCHS):
        network.train()
        for batch in np.array_split(rng.permutation(kept), max(1, len(kept) // BATCH)):
            optimiser.zero_grad()
            loss = torch.mean((network(x[batch], mask[batch])[0] - y[batch]) ** 2)
            loss.backward()
            optimiser.step()
        network.eval()
        with torch.no_grad():
            error = float(torch.mean((network(x[held], mask[held])[0] - y[held]) ** 2))
        since += 1
        if error < best:
            best, since = error, 0
            best_state = {name: value.clone() for name, value in network.state_dict().items()}
        if since >= PATIENCE:
            break
    network.load_state_dict(best_state)

    def predict(some):
        with torch.no_grad():
            return middle + spread * network(*padded(some))[0].numpy()

    def attend(some):
        with torch.no_grad():
            return network(*padded(some))[1].numpy()

    return Network(predict, attend, best)


def mikit(bags, labels, seed):
    """mikit-learn's additive attention as its first page uses it, labels in standard units."""
    import torch
    from milearn.network.regressor import AdditiveAttentionNetworkRegressor
    from milearn.preprocessing import BagMinMaxScaler

    torch.set_num_threads(1)
    scaler = BagMinMaxScaler().fit(list(bags))
    middle, spread = labels.mean(), labels.std()
    model = AdditiveAttentionNetworkRegressor(random_seed=seed)
    model.fit(scaler.transform(list(bags)), list((labels - middle) / spread))

    def predict(some):
        return middle + spread * model.predict(scaler.transform(list(some)))

    def locate(some):
        weights = model.get_instance_weights(scaler.transform(list(some)))
        return np.array([int(np.argmax(each)) for each in weights])

    return predict, locate


def boosted_value(kind):
    """Boosted trees as value of a locator of the class `kind`: a second stage after it.

    They read the attention-pooled, the pointed and the mean instance and the length. In training,
    attention is that of a fit without the bag's fold.
    """

    def fit(bags, labels, seed):
        fold_of = np.random.default_rng(seed).permutation(len(bags)) % LOCATOR_FOLDS
        features = np.empty((len(bags), 3 * bags.width + 1))
        for fold in range(LOCATOR_FOLDS):
            new = np.flatnonzero(fold_of == fold)
            seen = np.flatnonzero(fold_of != fold)
            locator = kind().fit(bags[seen], labels[seen])
            features[new] = located_features(locator, bags[new])
        value = HistGradientBoostingRegressor(
            max_iter=300, learning_rate=0.05, early_stopping=True, random_state=seed
        ).fit(features, labels)
        locator = kind().fit(bags, labels)
        return lambda some: value.predict(located_features(locator, some)), locator.locate

    return fit


def located_features(locator, bags):
    """What the second stage reads, (n, 3 d + 1)."""
    attention, starts = np.concatenate(locator.attend(bags)), bags.offsets[:-1]
    pooled = np.add.reduceat(attention[:, None] * bags.values, starts)
    pointed = bags.values[starts + locator.locate(bags)]
    return np.hstack([pooled, pointed, means(bags), bags.lengths[:, None]])


def mean_pool_ridge(bags, labels, seed):
    """Ridge regression on the mean of the bag, its penalty chosen by leave-one-out."""
    model = RidgeCV(np.geomspace(1e-3, 1e4, 15)).fit(means(bags), labels)
    return lambda some: model.predict(means(some))


def boosted_trees(bags, labels, seed):
    """LightGBM on mean, standard deviation, minimum and maximum of every feature."""
    import lightgbm

    model = lightgbm.LGBMRegressor(
        n_estimators=300, learning_rate=0.05, n_jobs=1, random_state=seed, verbose=-1
    )
    model.fit(statistics(bags), labels)
    return lambda some: model.booster_.predict(statistics(some))


def pooled_boosting(bags, labels, seed):
    """scikit-learn's boosted trees on the same statistics, with early stopping."""
    model = HistGradientBoostingRegressor(
        max_iter=300, learning_rate=0.05, early_stopping=True, random_state=seed
    )
    model.fit(statistics(bags), labels)
    return lambda some: model.predict(statistics(some))


def means(bags):
    """The mean of each bag."""
    return np.add.reduceat(bags.values, bags.offsets[:-1]) / bags.lengths[:, None]


def statistics(bags):
    """Mean, standard deviation, minimum and maximum of each feature within each bag."""
    starts = bags.offsets[:-1]
    centre = means(bags)
    variance = np.add.reduceat(bags.values**2, starts) / bags.lengths[:, None] - centre**2
    extremes = [np.minimum.reduceat(bags.values, starts), np.maximum.reduceat(bags.values, starts)]
    return np.hstack([centre, np.sqrt(np.maximum(variance, 0)), *extremes])

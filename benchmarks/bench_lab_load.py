"""Twenty clients that move sliders for a minute: no error, 95th percentile at most one second,
memory flat.

The clients are HTTP clients that replay what the page sends while a hand drags a slider and rests
now and then: the landscape of every new setting, the next one as soon as it is answered and at
least 50 ms have passed; after about twenty moves the hand rests for a second or two, and then the
sequence, paths, the sequence along them and critical points, or the landscape of softmax, are asked
for (see `rest` in the views of the page). Every fourth client compares attentions when its hand
rests, starts the job of that setting and cancels it with the next move. It also finds the worst
setting of every address.

    python benchmarks/bench_lab_load.py [--seconds 60] [--clients 20]
"""

import argparse
import asyncio
import random
import statistics
import sys
import time
from pathlib import Path

import httpx
from bars import bar, results

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.lab.live import LiveLab

from soloc.predictors.catalogue import find

WEIGHTS = ("erf", "erf", "erf", "tanh", "relu", "linear", "softplus", "softmax")
CORNERS = [
    {"d": d, "L": L, "gamma": gamma, "lam": lam}
    for d in (4, 10**9)
    for L in (1, 10**9)
    for gamma in (0.05, 5)
    for lam in (1e-4, 100)
]


def setting(rng: random.Random) -> dict:
    """Somewhere between the ends of the sliders."""
    return {
        "d": round(4 * 10 ** rng.uniform(0, 8)),
        "L": round(10 ** rng.uniform(0, 9)),
        "gamma": round(10 ** rng.uniform(-1, 0.6), 3),
        "eps": round(rng.uniform(0, 1), 2),
        "lam": float(f"{10 ** rng.uniform(-3, 1):.3g}"),
        "weight": rng.choice(WEIGHTS),
    }


def of_task(chosen: dict) -> dict:
    """The part of a setting that is the task's, not the attention's."""
    return {name: value for name, value in chosen.items() if name not in ("weight", "lam")}


class Tally:
    """Seconds of every answer, and what went wrong."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.errors: list[str] = []

    async def ask(self, client: httpx.AsyncClient, path: str, body: dict) -> httpx.Response | None:
        began = time.perf_counter()
        try:
            answer = await client.post(path, json=body)
        except httpx.HTTPError as error:
            self.errors.append(f"{path}: {error!r}")
            return None
        self.seconds.setdefault(path, []).append(time.perf_counter() - began)
        # 422: a sentence that says why this corner has no answer
        if answer.status_code not in (200, 422):
            self.errors.append(f"{path}: {answer.status_code} {answer.text[:100]}")
        return answer


async def move_sliders(address: str, number: int, until: float, tally: Tally) -> None:
    """One browser: training tab, or every fourth one the comparison of attentions with its job."""
    rng = random.Random(number)
    async with httpx.AsyncClient(base_url=address, timeout=60.0) as client:
        job = None
        chosen = setting(rng)
        while time.monotonic() < until:
            slider = rng.choice(("d", "L", "gamma", "eps", "lam"))
            for _ in range(rng.randint(10, 30)):  # one drag
                began = time.monotonic()
                chosen = chosen | {slider: setting(rng)[slider]}
                if number % 4 != 3 and not find(chosen["weight"]).slow:
                    await tally.ask(client, "/api/landscape", {"setting": chosen})
                await asyncio.sleep(max(0.0, 0.05 - (time.monotonic() - began)))
                if time.monotonic() > until:
                    break
            if number % 4 == 3:
                await tally.ask(client, "/api/attentions", {"setting": of_task(chosen)})
                answer = await tally.ask(
                    client, "/api/jobs/attentions", {"setting": of_task(chosen)}
                )
                job = answer.json().get("job") if answer is not None else None
            else:
                await tally.ask(client, "/api/sequence", {"setting": chosen})
                if find(chosen["weight"]).slow:
                    await tally.ask(client, "/api/landscape", {"setting": chosen})
                elif find(chosen["weight"]).closed_slopes:
                    await tally.ask(client, "/api/paths", {"setting": chosen})
                    await tally.ask(
                        client,
                        "/api/sequence",
                        {"setting": chosen, "at": {"kappa": 0.9, "nu": 0.9}},
                    )
                    await tally.ask(client, "/api/critical", {"setting": chosen})
            await asyncio.sleep(rng.uniform(1.0, 2.5))  # the hand rests
            chosen = chosen | {"weight": rng.choice(WEIGHTS)}
            if job:
                await client.delete(f"/api/jobs/{job}")
                job = None


async def watch(lab: LiveLab, until: float, memory: list[int]) -> None:
    while time.monotonic() < until:
        memory.append(lab.memory_of_all())
        await asyncio.sleep(2.0)


async def worst(address: str) -> dict[str, tuple[float, dict]]:
    """The slowest corner of the sliders for every address, asked alone and warm."""
    found: dict[str, tuple[float, dict]] = {}
    async with httpx.AsyncClient(base_url=address, timeout=120.0) as client:
        for path in (
            "/api/landscape",
            "/api/sequence",
            "/api/critical",
            "/api/paths",
            "/api/attentions",
            "/api/latent",
        ):
            for corner in CORNERS:
                for weight in (
                    ("erf", "softmax", "softplus")
                    if path in ("/api/landscape", "/api/sequence")
                    else ("erf",)
                ):
                    body = {"setting": corner | {"weight": weight}}
                    if path == "/api/attentions":
                        body = {"setting": of_task(corner)}
                    if path == "/api/paths":
                        body["training"] = {"steps": 200_000, "runs": 8, "decay": 1e-4}
                    if path == "/api/latent":
                        body = {
                            "sigma": corner["gamma"] if corner["gamma"] < 2 else 2,
                            "location_d": 64,
                            "longest": 4096,
                        }
                    began = time.perf_counter()
                    answer = await client.post(path, json=body)
                    took = time.perf_counter() - began
                    if answer.status_code >= 500:
                        print("ERROR", path, body, answer.text[:200])
                    if took > found.get(path, (0.0, {}))[0]:
                        found[path] = took, body
    return found


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=20)
    options = parser.parse_args()
    tally, memory = Tally(), []
    with LiveLab() as lab:
        lab.wait_until_prepared()

        async def load(seconds: float, tally: Tally) -> None:
            until = time.monotonic() + seconds
            moves = (
                move_sliders(lab.address, number, until, tally) for number in range(options.clients)
            )
            await asyncio.gather(*moves, watch(lab, until, memory))

        asyncio.run(load(20.0, Tally()))  # warm: caches fill, programs compile
        memory.clear()
        asyncio.run(load(options.seconds, tally))
        for path, (took, body) in asyncio.run(worst(lab.address)).items():
            print(f"worst of {path:<18} {took:6.2f} s alone, at {body}")
        broken = [line for line in lab.said if "Traceback" in line or "has died" in line]
    everything = [second for seconds in tally.seconds.values() for second in seconds]
    for path, seconds in sorted(tally.seconds.items()):
        middle, late = statistics.median(seconds), percentile(seconds, 0.95)
        print(f"{path:<22} {len(seconds):6d} answers  median {middle:.3f} s  p95 {late:.3f} s")
    growth = statistics.mean(memory[-5:]) / statistics.mean(memory[:5]) - 1
    p95 = percentile(everything, 0.95)
    print(f"{options.clients} clients, {options.seconds:g} s: {len(everything)} answers")
    bar(f"answers to {options.clients} clients, 95 % of them", p95, 1, "s")
    print(f"memory {memory[0] / 2**20:.0f} MB -> {memory[-1] / 2**20:.0f} MB, growth {growth:+.1%}")
    for error in tally.errors[:5]:
        print("error:", error)
    bar("errors, tracebacks and lost processes", len(tally.errors) + len(broken), 0)
    return 0 if all(results) else 1


if __name__ == "__main__":
    raise SystemExit(main())

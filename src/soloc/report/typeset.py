"""Plain words with formulas in them, set for a page: lam as λ, d^-1/2 raised, 3e-05 as a power."""

import re
from html import escape

_GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "eps": "ε",
    "eta": "η",
    "theta": "θ",
    "kappa": "κ",
    "lam": "λ",
    "nu": "ν",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
}
_SIGNS = {
    "+-": "±",
    "-&gt;": "→",
    "&gt;&gt;": "≫",
    "&lt;&lt;": "≪",
    "&gt;=": "≥",
    "&lt;=": "≤",
}
_SCIENTIFIC = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?)e([+-]?\d+)\b")
_RAISED = re.compile(r"\^(-?)(\d+(?:\.\d+)?(?:/\d+)?|[A-Za-z]\b)")
_ROOT = re.compile(r"\bsqrt\(([^()]+)\)")
_NAME = re.compile(rf"(?<![\w.])({'|'.join(_GREEK)})(?![\w(]|\.\w)")  # no module, no call
_MINUS = re.compile(r"(?<![\w.\-–)])-(?=[.\d])")
_CODE = re.compile(r"`([^`]+)`")


def typeset(words: str) -> str:
    """HTML of a sentence; what it says is escaped, what stands in backticks stays as written."""
    parts = _CODE.split(escape(words, quote=False))
    return "".join(
        f"<code>{part}</code>" if i % 2 else _formulas(part) for i, part in enumerate(parts)
    )


def _formulas(text: str) -> str:
    for written, sign in _SIGNS.items():
        text = text.replace(written, sign)
    text = _SCIENTIFIC.sub(_power, text)
    text = _ROOT.sub(lambda found: _root(found[1]), text)
    text = _RAISED.sub(lambda found: f"<sup>{'−' * bool(found[1])}{found[2]}</sup>", text)
    text = _NAME.sub(lambda found: _GREEK[found[1]], text)
    return _MINUS.sub("−", text)


def _root(inside: str) -> str:
    return f"√{inside}" if inside.isalnum() else f"√({inside})"


def _power(found: re.Match[str]) -> str:
    if float(found[1]) == 0.0:
        return "0"
    exponent = f"10<sup>{int(found[2])}</sup>".replace("-", "−")
    return exponent if found[1] == "1" else f"{found[1]}·{exponent}"

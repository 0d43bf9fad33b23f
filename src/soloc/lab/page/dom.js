// Elements without markup in strings: element("button", {class: "x", onclick: f}, "text", child).

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(made.dataset, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Whether the window is as narrow as a phone; a view with `columns` then draws one. */
export const phone = matchMedia("(max-width: 700px)");

/** A number for people: at most `digits` significant ones, powers of ten far from 1. */
export function readable(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  const size = Math.abs(value);
  if (value === 0) return "0";
  if (Number.isInteger(value) && size < 1e6) {
    return value.toLocaleString("en").replaceAll(",", "\u202f");
  }
  if (size >= 1e6 || size < 1e-3) {
    const text = value.toExponential(Math.min(digits - 1, 2));
    return text.replace("e+", "e").replace(/\.?0+e/, "e");
  }
  return String(Number(value.toPrecision(digits)));
}

/** How many letters must be changed, added or taken away to make one word the other. */
function distance(one, other) {
  let row = [...other, ""].map((_, i) => i);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, its] of [...other].entries()) {
      next.push(Math.min(row[j] + Number(its !== letter), row[j + 1] + 1, next[j] + 1));
    }
    row = next;
  }
  return row.at(-1);
}

/** The word of a list that is nearly `word`; undefined if none is. */
export function closest(word, list) {
  const far = (other) => distance(word.toLowerCase(), other.toLowerCase());
  const near = list.filter((other) => far(other) <= Math.max(1, word.length / 3));
  return near.sort((one, other) => far(one) - far(other))[0];
}

/** Say something to everyone, also to screen readers. */
export function say(text, kind = "") {
  const status = document.getElementById("status");
  status.textContent = text;
  status.dataset.kind = kind;
  status.classList.toggle("shown", Boolean(text));
  clearTimeout(say.timer);
  if (text && kind !== "error") say.timer = setTimeout(() => say(""), 2500);
}

/** Put text on the clipboard, also where the clipboard interface is refused. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    const area = element("textarea", { class: "offscreen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (done) say(`${what} copied.`);
    else say("The browser does not allow copying; select the text instead.", "error");
  }
}

export function download(content, type, name) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = element("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

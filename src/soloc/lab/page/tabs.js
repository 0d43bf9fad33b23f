// Controls that a tab has no use for.

/** Hide the controls that match the selector while the tab is shown. */
export function without(selector, tab, lab) {
  const boxes = document.querySelectorAll(selector);
  const follow = () => { for (const box of boxes) box.classList.toggle(`not-in-${tab}`, lab.state.get("view") === tab); };
  lab.state.onChange(follow);
  follow();
}

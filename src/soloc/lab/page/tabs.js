// Groups of controls that a tab has no use for.

/** Hide the group of that name while the tab is shown. */
export function withoutGroup(tab, group, lab) {
  const box = document.querySelector(`.group[data-group="${group}"]`);
  const follow = () => box?.classList.toggle(`not-in-${tab}`, lab.state.get("view") === tab);
  lab.state.onChange(follow);
  follow();
}

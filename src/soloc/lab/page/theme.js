// The theme is set before the first paint; a plain script, so that nothing flashes.
(function () {
  let chosen = null;
  try {
    chosen = localStorage.getItem("soloc-theme");
  } catch { /* private mode: follow the system */ }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();

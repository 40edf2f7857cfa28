// Before anything is drawn: the theme that the reader chose last time.
(() => {
  "use strict";
  let chosen = null;
  try {
    chosen = localStorage.getItem("assess-theme");
  } catch {
    // A page from disk may have no storage; then the system's theme holds.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();

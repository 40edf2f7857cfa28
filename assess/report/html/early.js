// Before anything is drawn: apply the theme that the reader chose last time.
(() => {
  "use strict";
  let chosen = null;
  try {
    chosen = localStorage.getItem("assess-theme");
  } catch {
    // A page from disk may have no storage; the system's theme is used then.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();

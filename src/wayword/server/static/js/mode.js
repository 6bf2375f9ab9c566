"use strict";
// Light, dark, or as the system has it; runs before the first paint, so that no page flashes white.
(() => {
  try {
    const kept = localStorage.getItem("wayword.mode");
    if (kept === "light" || kept === "dark") document.documentElement.dataset.mode = kept;
  } catch {
    // Storage may be forbidden; then the system decides.
  }
})();

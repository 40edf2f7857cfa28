// Themes, groups, and initialisation.
function startTheme() {
  const button = byId("theme");
  const dark = () =>
    (document.documentElement.dataset.theme ||
      (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const tell = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", dark() ? "Use the light theme" : "Use the dark theme");
  };
  button.addEventListener("click", () => {
    const next = dark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem("assess-theme", next);
    } catch {
      // The choice is then kept until the page is closed.
    }
    tell();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
  tell();
}

// Show one group at a time, if there are several.
function startGroups() {
  const choices = byId("group-switch");
  if (!choices) return;
  const buttons = [...choices.querySelectorAll("button")];
  const show = (id) => {
    for (const button of buttons) {
      const wanted = button.dataset.group === id;
      button.setAttribute("aria-pressed", String(wanted));
      byId(button.dataset.group).hidden = !wanted;
    }
  };
  for (const button of buttons) button.addEventListener("click", () => show(button.dataset.group));
  show(buttons[0].dataset.group);
}

document.documentElement.classList.add("scripted");
for (const element of document.querySelectorAll(".needs-script")) element.hidden = false;
for (const table of document.querySelectorAll("table.sortable")) sortable(table);
for (const button of document.querySelectorAll(".opener")) expandable(button);
for (const controls of document.querySelectorAll(".controls[data-for]")) filterable(controls);
startTools();
startTheme();
startGroups();
startCaptions();
startWords();
window.addEventListener("hashchange", followTarget);
followTarget();

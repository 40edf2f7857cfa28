// The captions panel: filters, counts, most common labels, and the captions in pages.
const PAGE = 50;
const COMMONEST = 8;
const panel = byId("captions-panel");
const listing = { data: null, filters: null, found: null, shown: 0, typing: 0 };

async function openCaptions(filters) {
  clearTimeout(listing.typing);
  listing.filters = filters;
  byId("filter-q").value = filters.q || "";
  if (!panel.open) panel.showModal();
  byId("captions-title").focus();
  try {
    if (!listing.data) {
      byId("captions-count").textContent = "Unpacking the captions …";
      const data = await captionData();
      // A second link that is followed meanwhile also waits here, but the choices are filled only once.
      if (!listing.data) fillChoices(data);
      listing.data = data;
      listing.filters.q = byId("filter-q").value;
    }
  } catch (problem) {
    byId("captions-count").textContent = problem.message;
    return;
  }
  showFilters();
  refresh();
}

function option(value, text) {
  return make("option", { value }, text ?? value);
}

function fillChoices(data) {
  byId("filter-system").append(option("", "all systems"), ...data.systems.map((name) => option(name)));
  const category = byId("filter-category");
  category.append(option("", "all categories"));
  for (const role of ["modifier", "head"]) {
    const names = data.categories.filter((name) => name.startsWith(`${role}.`));
    category.append(make("optgroup", { label: `${role}s` }, ...names.map((name) => option(name, shortName(name)))));
  }
  for (const group of data.groups) byId("filter-groups").append(groupChoice(group));
}

function groupChoice(group) {
  const choice = make("select", {}, option("", "all"), ...group.values.map((value, at) => option(value, group.said[at])));
  choice.dataset.group = group.name;
  choice.addEventListener("change", () => change({ by: { ...listing.filters.by, [group.name]: choice.value } }));
  return make("label", {}, `${group.name[0].toUpperCase()}${group.name.slice(1)} `, choice);
}

// Set the controls to the current filters.
function showFilters() {
  const { filters } = listing;
  for (const key of ["q", "system", "category", "reading", "read"]) byId(`filter-${key}`).value = filters[key] || "";
  for (const choice of document.querySelectorAll("#filter-groups select")) {
    choice.value = filters.by[choice.dataset.group] || "";
  }
  const told = { unknown: "unknown word", word: "word", label: "label", modified: "with a modifier", people: "without people’s" };
  const chips = Object.keys(told).filter((key) => filters[key]);
  byId("captions-chips").replaceChildren(...chips.map((key) => removable(key, told[key], filters[key])));
}

function removable(key, title, value) {
  const text = ["modified", "people"].includes(key) ? title : `${title}: ${value}`;
  const chip = make("button", { type: "button", className: "chip" }, foreign("bdi", {}, text), " ×");
  chip.setAttribute("aria-label", `Remove the filter ${text}`);
  chip.addEventListener("click", () => {
    change({ [key]: "" });
    byId("filter-q").focus();
  });
  return chip;
}

// Text that was just typed counts already, so that choosing a filter right after typing keeps both.
function change(what) {
  clearTimeout(listing.typing);
  Object.assign(listing.filters, { q: byId("filter-q").value }, what);
  history.replaceState(null, "", hashOf(listing.filters));
  if (!listing.data) return; // they are shown as soon as they are unpacked
  showFilters();
  refresh();
}

function refresh() {
  listing.found = matching(listing.data, listing.filters);
  listing.shown = 0;
  byId("captions-list").replaceChildren();
  byId("captions-count").textContent = countText();
  showCommonest();
  showMore();
}

function countText() {
  const { total, rows, exact } = listing.found;
  const labels = `${thousands(total)} ${total === 1 ? "label" : "labels"}`;
  if (total === rows.length && exact) return labels;
  const quota = `at most ${thousands(listing.data.quota)} of each label of a system are in this file`;
  return exact ? `${labels}; ${thousands(rows.length)} of them are here (${quota})` : `${labels} here (${quota})`;
}

function showCommonest() {
  const { counts } = listing.found;
  const order = [...counts].filter(([, number]) => number > 1);
  order.sort((one, other) => other[1] - one[1] || one[0] - other[0]);
  const wanted = listing.filters.label ? [] : order.slice(0, COMMONEST);
  byId("captions-labels").replaceChildren(
    ...wanted.map(([label, number]) => {
      const text = listing.data.labels.text[label];
      const chip = make("button", { type: "button", className: "chip" }, foreign("bdi", {}, text), ` ${thousands(number)}`);
      chip.addEventListener("click", () => {
        change({ label: text });
        byId("captions-title").focus();
      });
      return chip;
    }),
  );
}

function showMore() {
  const { rows } = listing.found;
  const next = rows.slice(listing.shown, listing.shown + PAGE);
  const list = byId("captions-list");
  const first = list.children.length;
  list.append(...next.map((row) => captionRow(listing.data, row, listing.filters.category)));
  listing.shown += next.length;
  byId("captions-more").hidden = listing.shown >= rows.length;
  byId("captions-more").textContent = `Show more (${thousands(rows.length - listing.shown)} left)`;
  return list.children[first];
}

function closed() {
  clearTimeout(listing.typing);
  if (filtersOf(location.hash)) history.replaceState(null, "", "#");
}

// The address determines what is open: links, the back button and typed addresses are all handled here.
function followAddress() {
  const filters = filtersOf(location.hash);
  if (filters) openCaptions(filters);
  else if (panel.open) panel.close();
}

function startCaptions() {
  if (!panel) return;
  for (const key of ["system", "category", "reading", "read"]) {
    byId(`filter-${key}`).addEventListener("change", (event) => change({ [key]: event.target.value }));
  }
  byId("filter-q").addEventListener("input", () => {
    clearTimeout(listing.typing);
    listing.typing = setTimeout(() => change({}), 150);
  });
  byId("captions-more").addEventListener("click", () => {
    const first = showMore();
    if (first) first.querySelector("summary").focus();
  });
  byId("captions-close").addEventListener("click", () => panel.close());
  panel.addEventListener("close", closed);
  panel.addEventListener("click", (event) => {
    if (event.target === panel) panel.close();
  });
  // Following the same link twice does not change the address, so clicks are handled as well.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(`a[href^="${PREFIX}"]`);
    if (link && link.getAttribute("href") === location.hash) followAddress();
  });
  window.addEventListener("hashchange", followAddress);
  followAddress();
}

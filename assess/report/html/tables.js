// Tables that are sorted by clicking on a column, and rows that filters hide.
function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.dataset.sort) return;
    const button = make("button", { type: "button", className: "sort" }, ...head.childNodes);
    head.replaceChildren(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => sortBy(table, heads, column));
  });
}

function sortBy(table, heads, column) {
  const head = heads[column];
  const numbers = head.dataset.sort === "number";
  const before = head.getAttribute("aria-sort");
  // Numbers start with the largest, names with the alphabetically first.
  const descending = before === "none" ? numbers : before === "ascending";
  for (const other of heads) if (other.dataset.sort) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const value = (body) => (body.rows ? body.rows[0] : body).cells[column].dataset.value;
  const compare = numbers
    ? (one, other) => undefinedLast(Number(value(one)), Number(value(other)), descending)
    : (one, other) => value(one).localeCompare(value(other)) * (descending ? -1 : 1);
  if (table.classList.contains("contrasts")) {
    // There, each row and its details form a separate table body.
    table.append(...[...table.tBodies].sort(compare));
    return;
  }
  for (const body of table.tBodies) {
    const rows = [...body.rows].filter((row) => !row.classList.contains("title"));
    body.append(...rows.sort(compare));
  }
}

function undefinedLast(one, other, descending) {
  if (Number.isNaN(one) || Number.isNaN(other)) return Number.isNaN(one) - Number.isNaN(other);
  return descending ? other - one : one - other;
}

// Rows that can be expanded to show the evidence for a verdict.
function expandable(button) {
  const more = byId(button.getAttribute("aria-controls"));
  button.addEventListener("click", () => {
    const open = more.classList.toggle("open");
    button.setAttribute("aria-expanded", String(open));
  });
}

// Hide the rows that the controls above a table exclude.
function filterable(controls) {
  const table = byId(controls.dataset.for);
  const rows = [...table.querySelectorAll("[data-category]")];
  const strata = controls.querySelector('[name="strata"]');
  const apply = () => {
    const tests = rowTests(controls);
    let shown = 0;
    for (const row of rows) {
      row.hidden = !tests.every((test) => test(row.dataset));
      shown += row.hidden ? 0 : 1;
    }
    if (strata) table.classList.toggle("strata-view", strata.checked);
    controls.querySelector("output").textContent = `${thousands(shown)} of ${thousands(rows.length)} rows`;
  };
  controls.addEventListener("input", apply);
  controls.hidden = false;
  apply();
}

function rowTests(controls) {
  const tests = [];
  const value = (name) => controls.querySelector(`[name="${name}"]:not([type="checkbox"])`)?.value || "";
  const checked = [...controls.querySelectorAll('[name="verdict"]:checked')].map((box) => box.value);
  if (controls.querySelector('[name="verdict"]')) tests.push((row) => checked.includes(row.verdict));
  const people = controls.querySelector('[name="people"]');
  if (people && !people.checked && !value("system")) tests.push((row) => row.people !== "yes");
  for (const name of ["system", "pair"]) if (value(name)) tests.push((row) => row[name] === value(name));
  const category = value("category").toLowerCase().trim();
  if (category) tests.push((row) => row.category.toLowerCase().includes(category));
  const never = controls.querySelector('[name="never"]');
  if (never && !never.checked && !category) tests.push((row) => row.never !== "yes");
  return tests;
}

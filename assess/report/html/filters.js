// The filters for captions, which are part of the page's address, so that a link opens exactly these captions.
const PREFIX = "#captions?";
const FILTERS = ["system", "category", "reading", "read", "unknown", "word", "label", "modified", "people", "q"];
const READ = { full: 0, partial: 1, none: 2 };

function filtersOf(hash) {
  if (!hash.startsWith(PREFIX)) return null;
  const filters = { by: {} };
  for (const [key, value] of new URLSearchParams(hash.slice(PREFIX.length))) {
    if (FILTERS.includes(key)) filters[key] = value;
    else if (key.startsWith("by.")) filters.by[key.slice(3)] = value;
  }
  return filters;
}

function hashOf(filters) {
  const parts = new URLSearchParams();
  for (const key of FILTERS) if (filters[key]) parts.set(key, filters[key]);
  for (const [group, value] of Object.entries(filters.by)) if (value) parts.set(`by.${group}`, value);
  return PREFIX + parts.toString();
}

// Whether each label passes the filters that only depend on labels.
function labelPasses(data, filters) {
  const { labels } = data;
  const wanted = filters.category ? data.categories.indexOf(filters.category) : -1;
  const any = filters.reading === "any";
  const has = (label, test) => labels.best[label].some(test) || (any && labels.more[label].some(test));
  const tests = [];
  if (filters.category) tests.push((label) => has(label, (place) => place === wanted));
  if (filters.modified) tests.push((label) => has(label, (place) => data.modifiers[place]));
  if (filters.read) tests.push((label) => labels.read[label] === READ[filters.read]);
  if (filters.unknown) tests.push((label) => labels.unknown[label].includes(filters.unknown));
  if (filters.word) tests.push((label) => saysWord(data, label, filters));
  if (filters.label) tests.push((label) => labels.text[label] === filters.label);
  return Uint8Array.from(labels.text, (_, label) => (tests.every((test) => test(label)) ? 1 : 0));
}

// Whether the best reading of a label has a word, in the requested category or in any.
function saysWord(data, label, { word, category }) {
  return spansOf(data, label).some(
    (span) => span.best && span.text === word && (!category || span.category === category),
  );
}

// Whether each system is selected: one, all, or all except people.
function systemPasses(data, { system, people }) {
  return data.systems.map((name, at) => (system ? name === system : people !== "no" || !data.humans.includes(at)));
}

// The groups in the filters, with the index of the selected value.
function groupTests(data, filters) {
  return data.groups
    .filter((group) => filters.by[group.name])
    .map((group) => ({ group, wanted: group.values.indexOf(filters.by[group.name]) }));
}

// A test of a mention's caption, label and image id against what the reader typed.
function searchTest(data, query) {
  const wanted = (query || "").toLowerCase().trim();
  if (!wanted) return () => true;
  const { caption, image, label } = data.mentions;
  const inCaption = Uint8Array.from(lowerCase(data, "captions"), (text) => (text.includes(wanted) ? 1 : 0));
  const inImage = Uint8Array.from(lowerCase(data, "images"), (text) => (text.includes(wanted) ? 1 : 0));
  const inLabel = Uint8Array.from(data.labels.text, (text) => (text.includes(wanted) ? 1 : 0));
  return (row) => inCaption[caption[row]] || inImage[image[row]] || inLabel[label[row]];
}

// The mentions that pass all filters, their number of labels, and the frequency of each label.
function matching(data, filters) {
  const passes = labelPasses(data, filters);
  const groups = groupTests(data, filters);
  const found = searchTest(data, filters.q);
  const systems = systemPasses(data, filters);
  const { system, label } = data.mentions;
  const rows = [];
  const counts = new Map();
  for (let row = 0; row < data.size; row += 1) {
    if (!systems[system[row]]) continue;
    if (!passes[label[row]] || !found(row)) continue;
    if (!groups.every((test) => groupValue(data, test.group, row) === test.wanted)) continue;
    rows.push(row);
    counts.set(label[row], (counts.get(label[row]) || 0) + 1);
  }
  return { rows, ...exact(data, filters, { passes, groups, systems, counts, total: rows.length }) };
}

// If the page only has a sample of the mentions, use the totals that come with it.
function exact(data, filters, found) {
  const knowable = !filters.q && found.groups.every((test) => test.group.of === "label");
  if (!data.totals || !knowable) return { total: found.total, counts: found.counts, exact: !data.totals };
  const counts = new Map();
  let total = 0;
  for (const [system, label, number] of data.totals) {
    if (!found.systems[system] || !found.passes[label]) continue;
    if (!found.groups.every((test) => test.group.at[label] === test.wanted)) continue;
    counts.set(label, (counts.get(label) || 0) + number);
    total += number;
  }
  return { total, counts, exact: true };
}

// The words that differ most between groups, counted from the captions in the page on request.
const WORDS_ADDRESS = /^#words(\?|$)/;
const FEWEST_LABELS = 3; // that have a word
const MOST_DOTS = 400;
const MOST_ROWS = 100;
const wordView = { data: null, words: [] };

function chosenWords() {
  const value = (name) => byId("words-controls").querySelector(`[name="${name}"]`).value;
  const [group, pair] = value("pair").split(" ").map(Number);
  return { group: wordView.data.groups[group], pair, system: value("system"), category: value("category") };
}

// The numbers of labels about each value: [labels by index, all labels], for both values of a pair.
function labelCounts(data, { group, pair, system }) {
  const values = group.pairs[pair];
  const counts = values.map(() => new Int32Array(data.labels.text.length));
  const systems = systemPasses(data, { system, people: "no" });
  const add = (from, label, value, number) => {
    const side = values.indexOf(value);
    if (side >= 0 && systems[from]) counts[side][label] += number;
  };
  if (data.totals && group.of === "label") {
    for (const [from, label, number] of data.totals) add(from, label, group.at[label], number);
  } else {
    const { system: from, label } = data.mentions;
    for (let row = 0; row < data.size; row += 1) add(from[row], label[row], groupValue(data, group, row), 1);
  }
  return counts;
}

// The words of modifiers in the best reading, largest difference first.
function countedWords(data, chosen) {
  const counts = labelCounts(data, chosen);
  const totals = counts.map((column) => column.reduce((sum, number) => sum + number, 0));
  const found = new Map();
  for (let label = 0; label < data.labels.text.length; label += 1) {
    if (!counts[0][label] && !counts[1][label]) continue;
    for (const text of modifierWords(data, label, chosen.category)) {
      const word = found.get(text) || { text, counts: [0, 0] };
      word.counts[0] += counts[0][label];
      word.counts[1] += counts[1][label];
      found.set(text, word);
    }
  }
  const words = [...found.values()].filter((word) => word.counts[0] + word.counts[1] >= FEWEST_LABELS);
  for (const word of words) judge(word, totals);
  return words.sort((one, other) => Math.abs(other.z) - Math.abs(one.z) || one.text.localeCompare(other.text));
}

function modifierWords(data, label, category) {
  const wanted = (span) => (category ? span.category === category : span.category.startsWith("modifier."));
  return new Set(spansOf(data, label).filter((span) => span.best && span.text && wanted(span)).map((span) => span.text));
}

// The shares of the two sides, and their difference in standard errors.
function judge(word, totals) {
  word.shares = word.counts.map((number, side) => (totals[side] ? number / totals[side] : 0));
  const pooled = (word.counts[0] + word.counts[1]) / (totals[0] + totals[1]);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / totals[0] + 1 / totals[1]));
  word.z = error > 0 && Number.isFinite(error) ? (word.shares[0] - word.shares[1]) / error : 0;
}

// The link to a word's captions, for both sides or for one.
function wordHash(word, side) {
  const { group, pair, system, category } = chosenWords();
  const by = side === undefined ? {} : { [group.name]: group.values[group.pairs[pair][side]] };
  return hashOf({ system, category, word: word.text, people: system ? "" : "no", by });
}

function showWords() {
  const chosen = chosenWords();
  const sides = chosen.group.pairs[chosen.pair].map((value) => chosen.group.said[value]);
  wordView.words = countedWords(wordView.data, chosen);
  const drawn = wordView.words.slice(0, MOST_DOTS);
  const open = (word) => {
    location.hash = wordHash(word);
  };
  byId("words-drawing").replaceChildren(scatter(drawn, sides, open));
  byId("words-table").tHead.replaceChildren(
    make("tr", {}, ...["word", ...sides].map((name, at) => make("th", { scope: "col", className: at ? "num" : "" }, name))),
  );
  findWords();
}

// Show in the table, and highlight in the drawing, the words that the reader searches for.
function findWords() {
  const wanted = byId("words-controls").querySelector('[name="q"]').value.toLowerCase().trim();
  const found = wordView.words.filter((word) => word.text.includes(wanted));
  for (const circle of document.querySelectorAll(".word-dot")) {
    circle.classList.toggle("faint", !circle.dataset.word.includes(wanted));
  }
  byId("words-table").tBodies[0].replaceChildren(...found.slice(0, MOST_ROWS).map(wordRow));
  const more = found.length > MOST_ROWS ? `; the ${MOST_ROWS} that differ most are listed` : "";
  byId("words-count").textContent =
    `${thousands(found.length)} ${found.length === 1 ? "word" : "words"} in at least ${FEWEST_LABELS} labels${more}`;
}

function wordRow(word) {
  const share = (value) => `${(value * 100).toFixed(value < 0.1 ? 1 : 0)}%`;
  const link = make("a", { className: "n", href: wordHash(word) }, foreign("bdi", {}, word.text));
  const cells = word.shares.map((value, side) =>
    make("td", { className: "num" }, share(value), " ", make("small", {}, countLink(word, side))),
  );
  return make("tr", {}, make("th", { scope: "row" }, link), ...cells);
}

function countLink(word, side) {
  const number = thousands(word.counts[side]);
  return word.counts[side] ? make("a", { className: "n", href: wordHash(word, side) }, number) : number;
}

function fillWordChoices(data) {
  const choice = (name) => byId("words-controls").querySelector(`[name="${name}"]`);
  data.groups.forEach((group, at) => {
    group.pairs.forEach((pair, place) => {
      const names = pair.map((value) => group.said[value]);
      choice("pair").append(option(`${at} ${place}`, `${names[0]} against ${names[1]}`));
    });
  });
  choice("system").append(option("", "all systems"), ...data.systems.map((name) => option(name)));
  const categories = data.categories.filter((name) => name.startsWith("modifier."));
  choice("category").append(option("", "all categories"), ...categories.map((name) => option(name, shortName(name))));
}

async function openWords() {
  if (wordView.data) return;
  let data;
  try {
    data = await captionData();
  } catch (problem) {
    byId("words-count").textContent = problem.message;
    return;
  }
  if (wordView.data || !data.groups.some((group) => group.pairs.length)) return;
  wordView.data = data;
  fillWordChoices(data);
  showWords();
}

// An address may contain a system and a category, as in links from contrasts.
async function followWords() {
  if (!WORDS_ADDRESS.test(location.hash)) return;
  byId("words").scrollIntoView();
  await openWords();
  if (!wordView.data) return;
  const asked = new URLSearchParams(location.hash.replace(WORDS_ADDRESS, ""));
  for (const name of ["system", "category"]) {
    byId("words-controls").querySelector(`[name="${name}"]`).value = asked.get(name) || "";
  }
  showWords();
}

function startWords() {
  if (!byId("words")) return;
  const seen = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) openWords();
  });
  seen.observe(byId("words"));
  byId("words-controls").addEventListener("change", (event) => event.target.name !== "q" && showWords());
  byId("words-controls").addEventListener("input", (event) => event.target.name === "q" && findWords());
  window.addEventListener("hashchange", followWords);
  followWords();
}

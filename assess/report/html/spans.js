// The positions of a label's categories in its caption.
const IN_BEST = 1;
const AFTER = 2;

// The spans of a label: range in its text, category, and whether they are in the best reading.
function spansOf(data, label) {
  const flat = data.labels.spans[label];
  const spans = [];
  for (let at = 0; at < flat.length; at += 4) {
    const [start, end, category, flags] = flat.slice(at, at + 4);
    const text = data.labels.text[label].slice(start, end);
    const best = Boolean(flags & IN_BEST);
    spans.push({ start, end, text, category: data.categories[category], best, after: Boolean(flags & AFTER) });
  }
  return spans;
}

// A label's text is its part of the caption in lower case with single spaces; both are traversed in parallel.
// Returns, for each character of the label, its position in the caption; null if they do not match.
function aligned(label, caption, start, end) {
  const places = [];
  let at = start;
  for (let index = 0; index < label.length && at < end; index += 1) {
    if (caption[at].toLowerCase() !== label[index]) return null;
    places.push(at);
    at += 1;
    if (label[index] === " ") while (at < end && /\s/.test(caption[at])) at += 1;
  }
  return at >= end ? places : null;
}

// The range of an attribute after the noun: within the stored range of its part of the label, from its first
// word to its last. If a verb is written in another form than it is stored, it is the whole stored range.
function located(data, row, span, caption) {
  const label = data.labels.text[data.mentions.label[row]];
  const part = label.slice(0, span.start).split(" … ").length - 2;
  const [start, end] = data.places[row].slice(2 * part, 2 * part + 2);
  if (end === undefined) return null;
  const text = caption.slice(0, end).toLowerCase();
  const found = [];
  for (const word of span.text.replace(" (something)", "").split(" ")) {
    const at = wordAt(text, word, found.length ? found.at(-1)[1] : start);
    if (at < 0) return { start, end };
    found.push([at, at + word.length]);
  }
  return { start: found[0][0], end: found.at(-1)[1] };
}

function wordAt(text, word, from) {
  const letter = /[\p{L}\p{N}]/u;
  for (let at = text.indexOf(word, from); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = at > 0 && letter.test(text[at - 1]);
    const after = at + word.length < text.length && letter.test(text[at + word.length]);
    if (!before && !after) return at;
  }
  return -1;
}

// The best reading's spans as ranges in the caption: {start, end, role, categories, wanted}.
function stretches(data, row, wanted) {
  const { start: starts, end: ends, label: labels, caption: captions } = data.mentions;
  const [start, end] = [starts[row], ends[row]];
  const caption = data.captions[captions[row]];
  const places = aligned(data.labels.text[labels[row]].split(" … ")[0], caption, start, end);
  const found = new Map();
  for (const span of spansOf(data, labels[row])) {
    if (!span.best || span.start === span.end) continue;
    const place = span.after
      ? located(data, row, span, caption)
      : places && { start: places[span.start], end: places[span.end - 1] + 1 };
    if (!place) continue;
    const key = `${place.start} ${place.end}`;
    const [role, name] = span.category.split(".", 2);
    const stretch = found.get(key) || { ...place, role, categories: [], wanted: false };
    stretch.categories.push(name);
    stretch.wanted ||= span.category === wanted;
    found.set(key, stretch);
  }
  return [...found.values()].sort((one, other) => one.start - other.start || other.end - one.end);
}

// One caption in the list, with its label, categories and readings.
function captionRow(data, row, wanted) {
  const { system, image, record, label } = data.mentions;
  return make(
    "li",
    {},
    foreign("p", { className: "caption" }, ...markedCaption(data, row, wanted)),
    make(
      "p",
      { className: "place" },
      foreign("bdi", { className: "system" }, data.systems[system[row]]),
      " image ",
      foreign("bdi", {}, data.images[image[row]]),
      `, caption ${thousands(record[row])}`,
    ),
    readings(data, label[row]),
    ...pictureOf(data, image[row]),
  );
}

// A button that loads the image of a caption, if the page knows where it is. Nothing is loaded before.
function pictureOf(data, image) {
  const source = pictureAddress(data, image);
  if (!source) return [];
  const box = make("p", { className: "picture" });
  const button = make("button", { type: "button", className: "tool" }, "Show image");
  button.addEventListener("click", () => {
    const picture = make("img", { alt: `Image ${data.images[image]}` });
    picture.addEventListener("error", () => box.replaceChildren("The image could not be loaded."));
    picture.src = source;
    box.replaceChildren(make("a", { href: source, target: "_blank", rel: "noreferrer" }, picture));
  });
  box.append(button);
  return [box];
}

function pictureAddress(data, image) {
  if (!data.pictures) return null;
  const { prefix, suffix, digits, names } = data.pictures;
  if (names) return names[image] && prefix + names[image];
  return prefix + encodeURIComponent(data.images[image].padStart(digits, "0")) + suffix;
}

// The caption's text, with the label and the words of its categories marked, and those of the selected
// category highlighted.
function markedCaption(data, row, wanted) {
  const caption = data.captions[data.mentions.caption[row]];
  const [start, end] = [data.mentions.start[row], data.mentions.end[row]];
  const inner = stretches(data, row, wanted);
  const parts = [caption.slice(0, start)];
  parts.push(make("mark", {}, ...pieces(caption, inner, start, end)));
  parts.push(...pieces(caption, inner, end, caption.length));
  return parts;
}

// The text from start to end, with the ranges in it marked; ranges that overlap an earlier one are skipped.
function pieces(caption, inner, start, end) {
  const parts = [];
  let at = start;
  for (const stretch of inner) {
    if (stretch.start < at || stretch.end > end) continue;
    parts.push(caption.slice(at, stretch.start), word(caption, stretch));
    at = stretch.end;
  }
  parts.push(caption.slice(at, end));
  return parts;
}

function word(caption, stretch) {
  const told = `${stretch.role}: ${stretch.categories.join(", ")}`;
  const kind = stretch.wanted ? `${stretch.role} wanted` : stretch.role;
  return make("span", { className: kind, title: told }, caption.slice(stretch.start, stretch.end));
}

// The analysis of the label: the best reading, additions of other readings, and unknown words.
function readings(data, label) {
  const spans = spansOf(data, label);
  const best = spans.filter((span) => span.best);
  const others = spans.filter((span) => !span.best);
  const list = make("ul", {}, ...best.map((span) => readingLine(span, "")));
  for (const span of others) list.append(readingLine(span, "other readings: "));
  for (const unknown of data.labels.unknown[label]) {
    list.append(make("li", { className: "unknown" }, "unknown word: ", foreign("bdi", {}, unknown)));
  }
  if (!list.childElementCount) list.append(make("li", {}, "no category was found"));
  const names = best.filter((span) => span.category.startsWith("modifier.")).map((span) => shortName(span.category));
  const summary = names.length ? [...new Set(names)].join(", ") : "no modifier";
  return make("details", {}, make("summary", {}, "Readings: ", make("span", {}, summary)), list);
}

const shortName = (category) => category.slice(category.indexOf(".") + 1);

function readingLine(span, opening) {
  const role = span.category.split(".", 1)[0];
  return make(
    "li",
    {},
    opening,
    foreign("bdi", { className: role }, span.text || "(not shown)"),
    ` ${role}: ${shortName(span.category)}`,
    span.after ? ", after the noun" : "",
  );
}

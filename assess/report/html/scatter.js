// The scatter plot of words: the share of labels with a word, for one value of a group versus another.
const SCATTER = { width: 560, height: 520, left: 56, right: 16, top: 16, bottom: 52 };
const NAMED = 16; // dots with their words beside them
const NICE = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

// A logarithmic scale for shares; 0 is at its beginning, a step below the smallest share.
function shareScale(words, start, end) {
  const shares = words.flatMap((word) => word.shares).filter((share) => share > 0);
  const low = Math.log(Math.min(...shares, 0.5) * 0.6);
  const high = Math.log(Math.min(1, Math.max(...shares, 0.001) * 1.4));
  const first = low + 0.08 * (high - low); // nearer to the beginning, a mark would stand on the word "never"
  const marks = NICE.filter((mark) => Math.log(mark) > first && Math.log(mark) < high);
  const place = (share) => start + ((share > 0 ? Math.log(share) - low : 0) / (high - low)) * (end - start);
  return { place, marks };
}

function scatter(words, sides, open) {
  const { width, height, left, right, top, bottom } = SCATTER;
  const across = shareScale(words, left, width - right);
  const up = shareScale(words, height - bottom, top);
  const title = `Words of labels about ${sides[0]} and ${sides[1]}; the table beside it has the numbers`;
  const taken = [];
  return draw(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title, class: "chart scatter" },
    draw("title", {}, title),
    ...shareAxes(across, up, sides),
    ...words.map((word) => dot(word, across, up, open)),
    ...words.slice(0, NAMED).flatMap((word) => dotName(word, across, up, taken)),
  );
}

const markText = (mark) => `${Number((mark * 100).toPrecision(2))}%`;

function shareAxes(across, up, sides) {
  const { width, height, left, right, top, bottom } = SCATTER;
  const floor = height - bottom;
  const text = (content, x, y, anchor, kind) =>
    draw("text", { x, y, "text-anchor": anchor, class: kind }, content);
  const lines = [draw("line", { x1: left, y1: floor, x2: width - right, y2: top, class: "equal" })];
  for (const mark of across.marks) {
    const x = across.place(mark);
    lines.push(draw("line", { x1: x, x2: x, y1: top, y2: floor, class: "grid" }));
    lines.push(text(markText(mark), x, floor + 16, "middle", "tick"));
  }
  for (const mark of up.marks) {
    const y = up.place(mark);
    lines.push(draw("line", { x1: left, x2: width - right, y1: y, y2: y, class: "grid" }));
    lines.push(text(markText(mark), left - 8, y + 4, "end", "tick"));
  }
  lines.push(draw("line", { x1: left, x2: width - right, y1: floor, y2: floor, class: "axis" }));
  lines.push(draw("line", { x1: left, x2: left, y1: top, y2: floor, class: "axis" }));
  lines.push(text("never", left, floor + 16, "middle", "tick"), text("never", left - 8, floor, "end", "tick"));
  lines.push(text(`share of labels about ${sides[1]} →`, width - right, floor + 38, "end", "side"));
  lines.push(text(`↑ share of labels about ${sides[0]}`, left + 6, top + 2, "start", "side"));
  return lines;
}

// A dot can be clicked; with a keyboard, the same captions are opened from the table, which has a link per word.
function dot(word, across, up, open) {
  const side = Math.abs(word.z) < 2 ? "even" : word.z > 0 ? "first" : "second";
  const [x, y] = [across.place(word.shares[1]), up.place(word.shares[0])];
  const radius = Math.min(3 + Math.sqrt(word.counts[0] + word.counts[1]) / 3, 12);
  const circle = draw("circle", { cx: x, cy: y, r: radius, class: `word-dot ${side}` }, draw("title", {}, wordTold(word)));
  circle.dataset.word = word.text;
  circle.addEventListener("click", () => open(word));
  return circle;
}

const wordTold = (word) => `${word.text}: ${word.counts.map(thousands).join(" against ")} labels`;

function dotName(word, across, up, taken) {
  const [x, y] = [across.place(word.shares[1]), up.place(word.shares[0])];
  const wide = 7 * word.text.length + 12;
  const start = x + wide > SCATTER.width ? x - wide : x + 10;
  const box = [start, y - 9, start + wide, y + 7];
  const hit = ([a, b, c, d]) => a < box[2] && box[0] < c && b < box[3] && box[1] < d;
  if (Math.abs(word.z) < 2 || taken.some(hit)) return [];
  taken.push(box);
  return [draw("text", { x: start, y: y + 4, class: "word-name" }, word.text)];
}

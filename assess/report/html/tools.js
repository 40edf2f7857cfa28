// Below every table and chart: copy it, save it, or link to it. Nothing leaves the page except what readers save.
const SAVED_STYLES = [
  ...["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity"],
  ...["font-size", "font-weight", "font-family"],
];
const FORMULA = /^[\p{Cf}\p{Cc}\s]*[=+\-@\uff0b\uff0d\uff1d\uff20]/u;
const SHARP = 2; // pixels of a picture for each of the drawing

function startTools() {
  for (const section of document.querySelectorAll("main section[id]")) {
    const tables = [...section.querySelectorAll(".scroll > table")];
    const figures = [...section.querySelectorAll("figure")];
    tables.forEach((table, at) => tableTools(table, `${section.id}-table-${at + 1}`));
    figures.forEach((figure, at) => figureTools(figure, `${section.id}-chart-${at + 1}`));
  }
}

function tableTools(table, id) {
  table.id ||= id;
  const box = table.parentElement;
  const name = (box.getAttribute("aria-label") || table.id.replaceAll("-", " ")).toLowerCase();
  const bar = toolBar(name, table.id, [
    ["Copy", (button) => copyText(button, tableText(table, "\t"))],
    ["CSV", () => save(`${table.id}.csv`, new Blob(["\ufeff", tableText(table, ",")], { type: "text/csv" }))],
  ]);
  // In a grid, a table and the tools below it form one element.
  if (!box.parentElement.matches(".who-is, .word-view")) return box.after(bar);
  const both = make("div", { className: "with-tools" });
  box.replaceWith(both);
  both.append(box, bar);
}

function figureTools(figure, id) {
  figure.id ||= id;
  const name = (figure.querySelector("figcaption strong")?.textContent || figure.id).toLowerCase();
  const svg = () => figure.querySelector("svg.chart");
  const bar = toolBar(name, figure.id, [
    ["Copy", (button) => copyText(button, svg().querySelector("title").textContent)],
    ["SVG", () => save(`${figure.id}.svg`, new Blob([standalone(svg())], { type: "image/svg+xml" }))],
    ["PNG", () => painted(svg()).toBlob((blob) => save(`${figure.id}.png`, blob))],
  ]);
  figure.append(bar);
}

function toolBar(name, id, actions) {
  const buttons = actions.map(([title, act]) => {
    const button = make("button", { type: "button", className: "tool" }, title);
    button.setAttribute("aria-label", `${title}: ${name}`);
    button.addEventListener("click", () => act(button));
    return button;
  });
  const link = make("a", { className: "tool", href: `#${id}` }, "Link");
  link.setAttribute("aria-label", `Link to: ${name}`);
  return make("p", { className: "tools" }, ...buttons, link);
}

async function copyText(button, text) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed here";
  }
  setTimeout(() => {
    button.textContent = before;
  }, 1500);
}

function save(name, blob) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// The visible rows, with exact numbers, but without drawings and expanded details.
function tableText(table, separator) {
  const rows = [...table.rows].filter((row) => row.closest("table") === table && !row.closest(".extra, [hidden]"));
  return rows.map((row) => rowText(row, separator)).join("\r\n") + "\r\n";
}

function rowText(row, separator) {
  const cells = [...row.cells].filter((cell) => !cell.classList.contains("plot"));
  return cells.flatMap((cell) => [field(cell, separator), ...Array(cell.colSpan - 1).fill("")]).join(separator);
}

function field(cell, separator) {
  const exact = cell.dataset.value;
  const number = exact !== undefined && exact !== "" && !Number.isNaN(Number(exact));
  let text = number ? exact : (cell.dataset.value ?? cell.textContent).replace(/\s+/g, " ").trim();
  // Spreadsheets must not run text from captions as a formula.
  if (!number && FORMULA.test(text)) text = `'${text}`;
  return separator === "," && /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// The drawing including its colours, for use elsewhere.
function standalone(svg) {
  const copy = svg.cloneNode(true);
  const copies = [copy, ...copy.querySelectorAll("*")];
  [svg, ...svg.querySelectorAll("*")].forEach((element, at) => {
    const style = getComputedStyle(element);
    for (const name of SAVED_STYLES) copies[at].setAttribute(name, style.getPropertyValue(name));
    copies[at].removeAttribute("class");
  });
  const { width, height } = svg.viewBox.baseVal;
  const ground = getComputedStyle(svg.closest("figure")).backgroundColor;
  copy.prepend(draw("rect", { width, height, fill: ground }));
  for (const [name, value] of Object.entries({ width, height })) copy.setAttribute(name, value);
  return new XMLSerializer().serializeToString(copy);
}

// The drawing as pixels, shape by shape: loading it as an image would violate the page's content policy.
function painted(svg) {
  const { width, height } = svg.viewBox.baseVal;
  const canvas = make("canvas", { width: width * SHARP, height: height * SHARP });
  const pen = canvas.getContext("2d");
  pen.scale(SHARP, SHARP);
  pen.fillStyle = getComputedStyle(svg.closest("figure")).backgroundColor;
  pen.fillRect(0, 0, width, height);
  for (const element of svg.querySelectorAll("rect, line, circle, polyline, path, text")) paint(pen, element);
  return canvas;
}

function paint(pen, element) {
  const style = getComputedStyle(element);
  pen.globalAlpha = Number(style.opacity) * (element.tagName === "circle" ? Number(style.fillOpacity) : 1);
  pen.fillStyle = style.fill === "none" ? "transparent" : style.fill;
  pen.strokeStyle = style.stroke === "none" ? "transparent" : style.stroke;
  pen.lineWidth = parseFloat(style.strokeWidth);
  pen.setLineDash(style.strokeDasharray === "none" ? [] : style.strokeDasharray.split(",").map(parseFloat));
  if (element.tagName === "text") return write(pen, element, style);
  const shape = outline(element);
  pen.fill(shape);
  pen.stroke(shape);
}

function write(pen, element, style) {
  const number = (name) => Number(element.getAttribute(name));
  pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  pen.textAlign = { middle: "center", end: "end" }[element.getAttribute("text-anchor")] || "start";
  pen.fillText(element.textContent, number("x"), number("y"));
}

function outline(element) {
  const shape = new Path2D(element.getAttribute("d") || undefined);
  const number = (name) => Number(element.getAttribute(name));
  if (element.tagName === "rect") shape.rect(...["x", "y", "width", "height"].map(number));
  if (element.tagName === "circle") shape.arc(...["cx", "cy", "r"].map(number), 0, 2 * Math.PI);
  if (element.tagName === "line") {
    shape.moveTo(number("x1"), number("y1"));
    shape.lineTo(number("x2"), number("y2"));
  }
  for (const { x, y } of element.points || []) shape.lineTo(x, y);
  return shape;
}

// An address may name a table or chart that is collapsed, or in a hidden group.
function followTarget() {
  const target = byId(decodeURIComponent(location.hash.slice(1)));
  if (!target || !target.closest("main")) return;
  const group = target.closest("section.group");
  if (group?.hidden) byId("group-switch").querySelector(`[data-group="${group.id}"]`).click();
  target.closest("details")?.setAttribute("open", "");
  target.scrollIntoView();
}

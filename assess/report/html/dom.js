// Building parts of the page. Texts are only ever set as text, so that captions cannot become markup.
const byId = (id) => document.getElementById(id);

function make(name, properties, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

// Untrusted text, isolated with its own direction, so that it cannot reorder adjacent text.
const foreign = (name, properties, ...children) => make(name, { dir: "auto", ...properties }, ...children);

const thousands = (number) => number.toLocaleString("en-US");

// A part of a drawing, of the same kind as the existing ones.
function draw(name, attributes, ...children) {
  const element = document.createElementNS(document.querySelector("svg").namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

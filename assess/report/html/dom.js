// Building pieces of the page. Texts are only ever set as text: what a caption says cannot become markup.
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

// Foreign text in an isolated box of its own direction, so that it cannot reorder what stands beside it.
const foreign = (name, properties, ...children) => make(name, { dir: "auto", ...properties }, ...children);

const thousands = (number) => number.toLocaleString("en-US");

// A piece of a drawing; attributes are set as they are.
function draw(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

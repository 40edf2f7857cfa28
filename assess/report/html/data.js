// The captions inside the page: deflated JSON in base64, unpacked when first needed.
let unpacked = null;

function captionData() {
  unpacked ??= unpack(byId("caption-data"));
  return unpacked;
}

async function unpack(element) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This browser is too old to show the captions; the tables and charts are complete.");
  }
  const binary = atob(element.textContent);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  element.remove();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return indexed(await new Response(stream).json());
}

function indexed(data) {
  for (const [name, column] of Object.entries(data.mentions)) data.mentions[name] = Int32Array.from(column);
  data.size = data.mentions.label.length;
  data.modifiers = data.categories.map((name) => name.startsWith("modifier."));
  data.lower = { captions: null, images: null };
  return data;
}

// Lower-case texts, created once for the first search.
function lowerCase(data, name) {
  data.lower[name] ??= data[name].map((text) => text.toLowerCase());
  return data.lower[name];
}

function groupValue(data, group, mention) {
  return group.at[group.of === "mention" ? mention : data.mentions.label[mention]];
}

// A map on a canvas, for as long as a hand drags: Plotly draws the whole figure when it rests.

const LEVELS = 256;

const known = new WeakMap(); // colours of a scale

/** The colours of a Plotly scale, as bytes. */
function colours(scale) {
  if (known.has(scale)) return known.get(scale);
  const part = (text, i) => Number.parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16);
  const out = new Uint8ClampedArray(3 * LEVELS);
  for (let level = 0; level < LEVELS; level++) {
    const at = level / (LEVELS - 1);
    const above = Math.max(1, scale.findIndex(([place]) => place >= at));
    const [[low, from], [high, to]] = [scale[above - 1], scale[above]];
    const share = (at - low) / (high - low);
    for (let i = 0; i < 3; i++) {
      out[3 * level + i] = part(from, i) + share * (part(to, i) - part(from, i));
    }
  }
  known.set(scale, out);
  return out;
}

/** Numbers as the server packs them. */
function unpacked({ bdata }) {
  const bytes = Uint8Array.from(atob(bdata), (letter) => letter.charCodeAt(0));
  return new Float64Array(bytes.buffer);
}

/** Rows of a map as an image, the first row at the bottom. */
function image({ x, y, z, zmin, zmax, colorscale }) {
  const heights = unpacked(z);
  const table = colours(colorscale);
  const out = new ImageData(x.length, y.length);
  heights.forEach((height, i) => {
    if (Number.isNaN(height)) return; // a gap stays clear
    const row = y.length - 1 - Math.floor(i / x.length);
    const place = 4 * (row * x.length + i % x.length);
    const share = Math.min(1, Math.max(0, (height - zmin) / (zmax - zmin)));
    out.data.set(table.subarray(3 * Math.round(share * (LEVELS - 1))).subarray(0, 3), place);
    out.data[place + 3] = 255;
  });
  return out;
}

/** A sheet over a plot; `draw` paints a heat map where its axes are, `clear` takes it away. */
export class Sketch {
  constructor(plot) {
    this.plot = plot;
    this.small = document.createElement("canvas");
    this.sheet = document.createElement("canvas");
    this.sheet.className = "sketch";
    this.sheet.hidden = true;
    this.sheet.setAttribute("aria-hidden", "true");
    plot.after(this.sheet);
  }

  draw(map) {
    const { xaxis, yaxis } = this.plot._fullLayout;
    const { sheet, small } = this;
    const [width, height] = [Math.round(xaxis._length), Math.round(yaxis._length)];
    if (sheet.width !== width) sheet.width = width;
    if (sheet.height !== height) sheet.height = height;
    Object.assign(sheet.style, { left: `${xaxis._offset}px`, top: `${yaxis._offset}px` });
    [small.width, small.height] = [map.x.length, map.y.length];
    small.getContext("2d").putImageData(image(map), 0, 0);
    const pen = sheet.getContext("2d");
    pen.clearRect(0, 0, width, height);
    pen.drawImage(small, 0, 0, width, height);
    sheet.hidden = false;
    this.plot.classList.add("sketched");
  }

  clear() {
    this.sheet.hidden = true;
    this.plot.classList.remove("sketched");
  }
}

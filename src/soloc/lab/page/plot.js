// Plots in the colours of the page: the server sends figures without background or text colours.

export function themed(layout) {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name).trim();
  const axis = { gridcolor: color("--grid"), linecolor: color("--rule"), tickcolor: color("--rule"), zerolinecolor: color("--rule"),
                 automargin: true };
  const dressed = {
    ...layout,
    autosize: true,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: style.fontFamily, size: 12, color: color("--ink") },
    hoverlabel: { bgcolor: color("--paper"), bordercolor: color("--rule"), font: { color: color("--ink") }, ...layout.hoverlabel },
    legend: { bgcolor: "rgba(0,0,0,0)", ...layout.legend },
    annotations: layout.annotations?.map((note) => ({ ...note, font: { color: color("--muted"), ...note.font } })),
  };
  if (dressed.annotations === undefined) delete dressed.annotations;
  for (const name of Object.keys(layout)) {
    if (/^[xy]axis\d*$/.test(name)) dressed[name] = { ...axis, ...layout[name] };
  }
  return dressed;
}

const CONFIG = { displayModeBar: false, responsive: true, doubleClick: false, scrollZoom: false };

/** Draw, or redraw with as little work as possible; resolves when it is painted on the page. */
export function draw(place, data, layout) {
  return Plotly.react(place, data, themed({ dragmode: false, ...layout }), CONFIG);
}

/** Save the plot as a file, on an opaque background of the theme. */
export async function saveImage(place, format, name) {
  const paper = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
  const figure = { data: place.data, layout: { ...place.layout, paper_bgcolor: paper }, config: place.config };
  const size = { width: place.clientWidth, height: place.clientHeight, scale: format === "png" ? 2 : 1 };
  await Plotly.downloadImage(figure, { format, filename: name, ...size });
}

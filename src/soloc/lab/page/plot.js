// Plots in the colours of the page: the server sends figures without background or text colours.

export function themed(layout) {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name).trim();
  const [ink, grid, rule, muted] = ["--ink", "--grid", "--rule", "--muted"].map(color);
  const axis = {
    gridcolor: grid, linecolor: rule, tickcolor: rule, zerolinecolor: rule, automargin: true,
  };
  const hover = { bgcolor: color("--paper"), bordercolor: rule, font: { color: ink } };
  const dressed = {
    ...layout,
    autosize: true,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: style.fontFamily, size: 12, color: ink },
    hoverlabel: { ...hover, ...layout.hoverlabel },
    legend: { bgcolor: "rgba(0,0,0,0)", ...layout.legend },
  };
  if (layout.annotations) {
    const quiet = (note) => ({ ...note, font: { color: muted, ...note.font } });
    dressed.annotations = layout.annotations.map(quiet);
  }
  for (const name of Object.keys(layout)) {
    if (/^[xy]axis\d*$/.test(name)) dressed[name] = { ...axis, ...layout[name] };
  }
  return dressed;
}

const CONFIG = { displayModeBar: false, responsive: true, doubleClick: false, scrollZoom: false };

/** Draw, or redraw with as little work as possible; resolves when it is on the page. */
export function draw(place, data, layout) {
  return Plotly.react(place, data, themed({ dragmode: false, ...layout }), CONFIG);
}

/** Nothing is drawn any more. */
export function erase(place) {
  if (place.data) Plotly.purge(place);
  place.replaceChildren();
}

/** Save the plot as a file, on an opaque background of the theme. */
export async function saveImage(place, format, name) {
  const root = getComputedStyle(document.documentElement);
  const paper_bgcolor = root.getPropertyValue("--paper").trim();
  const { data, config, clientWidth: width, clientHeight: height } = place;
  const figure = { data, layout: { ...place.layout, paper_bgcolor }, config };
  const scale = format === "png" ? 2 : 1;
  await Plotly.downloadImage(figure, { format, filename: name, width, height, scale });
}

// Dots that move along channels: the chunks of a timed schedule, and the messages of a step while it plays.
"use strict";
const pavaneMotion = (() => {
  const POINTS = 16;

  /** Draws dots with `path(colour)`, one element per colour; `line(channel)` is the line of a channel. */
  function dots(line, path, colours) {
    const groups = Array.from({ length: colours }, (_, colour) => path(colour));
    const known = new Map();

    /** Points along a channel at equal distances. */
    function points(channel) {
      if (!known.has(channel)) {
        const way = line(channel);
        const length = way.getTotalLength();
        known.set(channel, Array.from({ length: POINTS + 1 }, (_, at) => way.getPointAtLength((length * at) / POINTS)));
      }
      return known.get(channel);
    }

    /** The place of a dot that has gone this share of a channel. */
    function place(channel, share) {
      const all = points(channel);
      const far = Math.min(Math.max(share, 0), 1) * POINTS;
      const from = Math.min(Math.floor(far), POINTS - 1);
      const [one, next] = [all[from], all[from + 1]];
      const mix = (a, b) => (a + (b - a) * (far - from)).toFixed(1);
      return `M${mix(one.x, next.x)} ${mix(one.y, next.y)}h0`;
    }

    /** Shows dots, each with its channel, the share that it has gone and its colour. */
    function show(places) {
      const lines = groups.map(() => "");
      for (const [channel, share, colour] of places) lines[colour] += place(channel, share);
      groups.forEach((group, colour) => { if (group.getAttribute("d") !== lines[colour]) group.setAttribute("d", lines[colour]); });
    }

    return { show, clear: () => show([]) };
  }

  /** The chunks on their way at a time: channel, share and origin of each. `sends` are sorted by start. */
  function under(sends, time) {
    const found = [];
    for (const [channel, start, arrival, origin] of sends) {
      if (start > time) break;
      if (time < arrival) found.push([channel, (time - start) / (arrival - start || 1), origin]);
    }
    return found;
  }

  /** A picture of several layers that can be zoomed and moved; `surface` is the layer under the pointer. */
  function zoomable(layers, surface, width, height, onzoom) {
    const MOST = 12;
    let [x, y, scale] = [0, 0, 1];
    const clamp = (value, most) => Math.min(Math.max(value, 0), most);
    function apply() {
      const [wide, high] = [width / scale, height / scale];
      [x, y] = [clamp(x, width - wide), clamp(y, height - high)];
      for (const layer of layers) layer.setAttribute("viewBox", `${x.toFixed(2)} ${y.toFixed(2)} ${wide.toFixed(2)} ${high.toFixed(2)}`);
      surface.classList.toggle("zoomed", scale > 1);
      onzoom(scale);
    }
    /** Enlarges the picture around a point, which stays where it is. */
    function zoom(factor, at = [x + width / scale / 2, y + height / scale / 2]) {
      const next = Math.min(Math.max(scale * factor, 1), MOST);
      x = at[0] - ((at[0] - x) * scale) / next;
      y = at[1] - ((at[1] - y) * scale) / next;
      scale = next;
      apply();
    }
    const point = (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(surface.getScreenCTM().inverse());
      return [at.x, at.y];
    };
    surface.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.25 : 0.8, point(event));
    }, { passive: false });
    let from = null;
    let isMoved = false;
    surface.addEventListener("pointerdown", (event) => { from = scale > 1 ? point(event) : null; isMoved = false; });
    surface.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons) return;
      const at = point(event);
      if (!isMoved && Math.hypot(at[0] - from[0], at[1] - from[1]) * scale < 5) return;
      isMoved = true;
      [x, y] = [x + from[0] - at[0], y + from[1] - at[1]];
      apply();
    });
    // A drag is no click.
    surface.addEventListener("click", (event) => { if (isMoved) { event.stopPropagation(); isMoved = false; } }, { capture: true });
    apply();
    return { zoom, whole() { [x, y, scale] = [0, 0, 1]; apply(); } };
  }

  return { dots, under, zoomable };
})();

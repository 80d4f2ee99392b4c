// A picture that can be zoomed and moved.
"use strict";
const pavaneZoom = (() => {
  const MOST = 12;

  /**
   * Lets `map`, a picture of several layers, be zoomed and moved; `surface` is the layer under the pointer. The picture
   * may use all of the room of its layers, also beside and below where it is as a whole.
   */
  function zoomable(map, layers, surface, width, height, onzoom) {
    let [x, y, scale] = [0, 0, 1];
    /** The start of a part of a side of which `seen` is on the screen: inside the picture, or with the picture in the middle. */
    function clamp(start, part, seen, whole) {
      const beside = (seen - part) / 2;
      return seen >= whole ? (whole - part) / 2 : Math.min(Math.max(start, beside), whole - part - beside);
    }
    function apply() {
      const [wide, high] = [width / scale, height / scale];
      const box = surface.getBoundingClientRect();
      const pixels = Math.min(box.width / wide, box.height / high) || 1;
      x = clamp(x, wide, Math.max(box.width / pixels, wide), width);
      y = clamp(y, high, Math.max(box.height / pixels, high), height);
      for (const layer of layers) layer.setAttribute("viewBox", `${x.toFixed(2)} ${y.toFixed(2)} ${wide.toFixed(2)} ${high.toFixed(2)}`);
      map.classList.toggle("zoomed", scale > 1);
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

  return { zoomable };
})();

// Which channel is in use in which step, as one picture.
"use strict";
const pavaneChart = (() => {
  const { COLOURS } = pavaneNetwork;

  /** Draws the chart: a row for every channel, a column for every step. Returns the size of a cell. */
  function chart(canvas, data) {
    const colour = pavaneWords.colours(data);
    const rows = data.channels.length;
    const columns = data.steps.length;
    const wide = Math.max(2, Math.min(18, Math.floor(1100 / Math.max(columns, 1))));
    const high = rows > 300 ? 2 : rows > 100 ? 4 : 8;
    canvas.width = wide * columns;
    canvas.height = high * rows;
    const pen = canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const palette = Array.from({ length: COLOURS }, (_, at) => style.getPropertyValue("--s" + at));
    pen.fillStyle = style.getPropertyValue("--idle");
    pen.fillRect(0, 0, canvas.width, canvas.height);
    data.steps.forEach((transfers, at) => {
      for (const transfer of transfers) {
        pen.fillStyle = palette[colour(transfer[3])];
        // Cells of the second of two phases that overlap are low.
        const size = high - (high > 3 ? 1 : 0);
        const top = transfer[5] ? Math.floor(size / 2) : 0;
        for (const channel of transfer[4]) pen.fillRect(at * wide, channel * high + top, wide - (wide > 4 ? 1 : 0), size - top);
      }
    });
    return { wide, high };
  }

  return { chart };
})();

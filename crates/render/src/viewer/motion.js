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

  return { dots, under };
})();

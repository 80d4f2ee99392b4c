// The paths of the transfers of a step, as markup. `colour` gives the colour of a processor.
"use strict";
const pavanePaths = (() => {
  const { COLOURS } = pavaneNetwork;

  /** How large the tip of an arrow is: as a marker on a line of that width. */
  const USUAL = 2.3;
  const HOT = 3.6;

  /** The tip of an arrow at the end of a curve. */
  function tip(curve, width) {
    const numbers = curve.match(/-?[\d.]+/g).map(Number);
    const [x, y] = numbers.slice(-2);
    let [fromX, fromY] = numbers.slice(-4);
    if (Math.hypot(x - fromX, y - fromY) < 0.01) [fromX, fromY] = numbers;
    const length = Math.hypot(x - fromX, y - fromY) || 1;
    const scale = (3.4 * width) / 8;
    const [ux, uy] = [((x - fromX) / length) * scale, ((y - fromY) / length) * scale];
    const at = (along, beside) => `${(x + ux * along - uy * beside).toFixed(1)} ${(y + uy * along + ux * beside).toFixed(1)}`;
    return `M${at(-7.4, -3.4)}L${at(0.6, 0)}L${at(-7.4, 3.4)}z`;
  }

  /** The paths of transfers, one element for each channel: they grow side by side. */
  function single(data, transfers, colour, isDense, id) {
    const markup = [];
    for (const [, , , owner, path, isSecond] of transfers) {
      const key = colour(owner);
      const kind = isSecond ? `k${key} second` : `k${key}`;
      path.forEach((channel, hop) => {
        const tip = hop + 1 === path.length && !isDense ? ` marker-end="url(#${id}t${key})"` : "";
        markup.push(`<path d="${data.channels[channel][2]}" class="${kind}"${isSecond ? "" : ' pathLength="1"'}${tip}/>`);
      });
    }
    return markup;
  }

  /** The same, one element for each colour: few are painted fast. Those of the message `followed` are thick. */
  function grouped(data, transfers, colour, isDense, followed) {
    const lines = new Map();
    for (const [message, , , owner, path, isSecond] of transfers) {
      const isHot = message === followed;
      const key = colour(owner) + (isSecond ? COLOURS : 0) + (isHot ? 2 * COLOURS : 0);
      if (!lines.has(key)) lines.set(key, ["", ""]);
      const group = lines.get(key);
      for (const channel of path) group[0] += data.channels[channel][2];
      if (path.length && !isDense) group[1] += tip(data.channels[path[path.length - 1]][2], isHot ? HOT : USUAL);
    }
    return [...lines].sort(([one], [other]) => one - other).map(([key, [line, tips]]) => {
      const hot = key >= 2 * COLOURS ? " hot" : "";
      const second = key % (2 * COLOURS) >= COLOURS ? " second" : "";
      return `<path d="${line}" class="k${key % COLOURS}${hot}${second}"/>`
        + (tips ? `<path d="${tips}" class="tip f${key % COLOURS}${hot}"/>` : "");
    });
  }

  return { single, grouped };
})();

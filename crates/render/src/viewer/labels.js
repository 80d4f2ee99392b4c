// Names that stay readable. If the names of routers would be smaller than 8 pixels, they are enlarged as far as they do
// not overlap; if that is not enough, the names of groups of routers are shown instead.
"use strict";
const pavaneLabels = (() => {
  const READABLE = 8;       // pixels
  const GROUP = 12;
  const LETTER = 0.6;       // the width of a character as a share of the font size

  /** A font size in two decimals, rounded up: rounded down, names could be smaller than readable. */
  const decimals = (size) => (Math.ceil(size * 100) / 100).toFixed(2);

  /** By which factor names can be enlarged until two of them overlap. */
  function room(names) {
    let least = Infinity;
    const half = ([, , size, text]) => (LETTER * size * text.length) / 2;
    for (let at = 0; at < names.length; at++) {
      for (let next = at + 1; next < names.length; next++) {
        const [one, other] = [names[at], names[next]];
        const [wide, high] = [half(one) + half(other), (one[2] + other[2]) / 2];
        least = Math.min(least, Math.max(Math.abs(one[0] - other[0]) / wide, Math.abs(one[1] - other[1]) / high));
      }
    }
    return least;
  }

  /** Names with their elements, and the factor by which they are drawn now. */
  function family(names, elements) {
    let most = null;
    let drawn = 1;
    const smallest = Math.min(...names.map(([, , size]) => size));
    return {
      /** The factor that makes all of them readable; null if they would overlap. */
      factor(pixels) {
        const wanted = Math.max(1, READABLE / (smallest * pixels));
        if (wanted === 1 || !names.length) return 1;
        most ??= room(names);
        return wanted <= most ? wanted : null;
      },
      /** The largest factor up to a wanted one. */
      fitting(pixels) { return Math.max(1, Math.min(READABLE / (smallest * pixels), most ?? 1)); },
      show(factor) {
        if (factor !== drawn) elements.forEach((element, at) => element.setAttribute("font-size", decimals(names[at][2] * factor)));
        drawn = factor;
      },
      hide(isHidden) { for (const element of elements) element.toggleAttribute("hidden", isHidden); },
      letters: (pixels) => smallest * drawn * pixels,
      isEmpty: !names.length,
    };
  }

  /**
   * Draws the names and the frames of groups with `shape`; `under` and `over` are the layers below and above the rest.
   * Returns the function that adapts them to the size on the screen.
   */
  function draw(data, shape, under, over, map) {
    const groups = data.groups || [];
    const areas = shape("g", { class: "groups" }, under);
    for (const [x, y, wide, high, round] of groups) {
      if (round) shape("circle", { cx: x + wide / 2, cy: y + high / 2, r: wide / 2 }, areas);
      else shape("rect", { x, y, width: wide, height: high, rx: 6 }, areas);
    }
    const isInside = ([x, y]) => groups.some(([left, top, wide, high]) => x > left && x < left + wide && y > top && y < top + high);
    const layer = shape("g", { class: "names" }, over);
    const named = data.names.map((name) => {
      const [x, y, size, text, lost] = name;
      const element = shape("text", { x, y, "font-size": size, class: lost ? "lost" : "" }, layer);
      element.textContent = text;
      return [name, element, isInside(name)];
    });
    const of = (inside) => named.filter((one) => one[2] === inside);
    const families = [true, false].map((inside) => family(of(inside).map(([name]) => name), of(inside).map(([, element]) => element)));
    const titles = shape("g", { class: "group-names" }, over);
    const texts = groups.map(() => shape("text", {}, titles));

    /** Shows the names of groups at their places, or large in the middle of their frames. */
    function title(isLarge, pixels) {
      groups.forEach(([left, top, wide, high, round, x, y, name, number], at) => {
        const fits = (text, size) => LETTER * size * text.length * 1.1 < wide;
        const least = Math.max(GROUP, READABLE / pixels);
        const choices = (isLarge ? [GROUP / pixels, least] : [least]).flatMap((size) => [[name, size], [number, size]]);
        const [text, size] = choices.find(([text, size]) => round && !isLarge || fits(text, size)) || [number, least];
        texts[at].textContent = text;
        let place = { x, y };
        if (isLarge) place = { x: left + wide / 2, y: top + high / 2 };
        // Above the frame, where an enlarged name has room.
        else if (size > GROUP && !round) place = { x: left + wide / 2, y: top - size * 0.6 };
        for (const [key, value] of Object.entries({ ...place, "font-size": decimals(size) })) texts[at].setAttribute(key, value);
      });
      titles.classList.toggle("large", isLarge || READABLE / pixels > GROUP);
    }

    return function adapt() {
      const pixels = (over.getScreenCTM() || {}).a;
      if (!pixels) return;
      const factors = families.map((one) => one.factor(pixels));
      const isGrouped = groups.length > 0 && factors[0] === null;
      families.forEach((one, at) => {
        const isHidden = isGrouped && at === 0;
        one.hide(isHidden);
        if (!isHidden) one.show(factors[at] ?? one.fitting(pixels));
      });
      title(isGrouped, pixels);
      map.dataset.labels = isGrouped ? "groups" : "names";
      const shown = families.filter((one, at) => !one.isEmpty && !(isGrouped && at === 0)).map((one) => one.letters(pixels));
      if (shown.length) map.dataset.letters = Math.min(...shown).toFixed(1);
      else delete map.dataset.letters;
    };
  }

  return { draw };
})();

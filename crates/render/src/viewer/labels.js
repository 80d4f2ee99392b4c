// Names that stay readable. Names of routers that would be smaller than 8 pixels are enlarged as far as they do not
// overlap. If that is not enough, those of a row are shown for every second, fourth or eighth router only, below it; those of
// hosts below their switches for every fourth host at least. Otherwise the names of groups replace those of their routers.
"use strict";
const pavaneLabels = (() => {
  const READABLE = 8;       // pixels
  const GROUP = 12;
  const LETTER = 0.6;       // the width of a character as a share of the font size
  const EVERY = [1, 2, 4, 8, 16, 32, 64];
  const HOSTS = [1, 2, 4];

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

  /** Names of routers that are enlarged alike, with their elements; `radius` is that of routers, and `lowest` the height below which there is room for a name. */
  function family(named, radius, lowest) {
    const names = named.map(([name]) => name);
    const order = [...new Set(names.map((name) => name[5]))];
    const rank = new Map(order.map((router, at) => [router, at]));
    const smallest = Math.min(...names.map(([, , size]) => size));
    const rooms = new Map();
    let drawn = 1;
    let every = 1;
    /** The names of every n-th router, at the height where they are drawn. */
    const some = (n) => names.filter((name) => rank.get(name[5]) % n === 0).map((name) => (n > 1 ? [name[0], lowest(name), ...name.slice(2)] : name));
    const roomOf = (n) => {
      if (!rooms.has(n)) rooms.set(n, room(some(n)));
      return rooms.get(n);
    };
    const wanted = (pixels) => Math.max(1, READABLE / (smallest * pixels));
    return {
      isEmpty: !names.length,
      isFitting: (pixels, n = 1) => !names.length || wanted(pixels) === 1 || wanted(pixels) <= roomOf(n),
      /** Shows the names of every n-th router in a readable size; with 0 those of none. */
      show(pixels, n) {
        const factor = wanted(pixels);
        if (factor === drawn && n === every) return;
        named.forEach(([name, element]) => {
          element.setAttribute("font-size", decimals(name[2] * factor));
          // A large name would cover the neighbours of its router.
          element.setAttribute("y", (n > 1 ? lowest(name) + radius + 0.6 * name[2] * factor : name[1]).toFixed(1));
          element.toggleAttribute("hidden", n === 0 || rank.get(name[5]) % n !== 0);
        });
        [drawn, every] = [factor, n];
      },
      letters: (pixels) => smallest * drawn * pixels,
    };
  }

  /** The place of a name of this size outside a round frame, in the direction of `label` from its middle. */
  function outside([left, top, wide], label, [width, height]) {
    const [radius, x, y] = [wide / 2, left + wide / 2, top + wide / 2];
    const length = Math.hypot(label.x - x, label.y - y) || 1;
    const [ux, uy] = [(label.x - x) / length, (label.y - y) / length];
    const beyond = (far, part, size) => Math.max(far * Math.abs(part) - size / 2, 0);
    let far = radius;
    while (Math.hypot(beyond(far, ux, width), beyond(far, uy, height)) < radius) far += height / 20;
    return { x: x + ux * far, y: y + uy * far };
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
    const groupOf = ([x, y]) => groups.findIndex(([left, top, wide, high]) => x > left && x < left + wide && y > top && y < top + high);
    const isSwitch = (name) => data.routers[name[5]][2] === "switch";
    const layer = shape("g", { class: "names" }, over);
    const named = data.names.map((name) => {
      const [x, y, size, text, lost] = name;
      const element = shape("text", { x, y, "font-size": size, class: lost ? "lost" : "" }, layer);
      element.textContent = text;
      return [name, element, groupOf(name)];
    });
    // Hosts may be in several rows below their switches; a name has room below all of them.
    const bottoms = groups.map(() => -Infinity);
    for (const [name, , group] of named) if (group >= 0) bottoms[group] = Math.max(bottoms[group], name[1]);
    const of = (inside, switches) => family(
      named.filter(([name, , group]) => group >= 0 === inside && isSwitch(name) === switches), data.radius,
      (name) => (inside ? bottoms[groupOf(name)] : name[1]),
    );
    const families = [true, false].flatMap((inside) => [false, true].map((switches) => ({ inside, switches, ...of(inside, switches) })))
      .filter((one) => !one.isEmpty);
    const inside = families.filter((one) => one.inside);
    const titles = shape("g", { class: "group-names" }, over);
    const texts = groups.map(() => shape("text", {}, titles));

    /** Shows the names of groups at their places, or, if those of routers are hidden, large beside their frames. */
    function title(isLarge, pixels) {
      groups.forEach((group, at) => {
        const [left, top, wide, , round, x, y, name, number] = group;
        const fits = (text, size) => LETTER * size * text.length * 1.1 < wide;
        const least = Math.max(GROUP, READABLE / pixels);
        const sizes = isLarge ? [GROUP / pixels, least] : [least];
        const choices = [name, number].flatMap((text) => sizes.map((size) => [text, size]));
        const [text, size] = choices.find(([text, size]) => round && !isLarge || fits(text, size)) || [number, least];
        texts[at].textContent = text;
        let place = { x, y };
        if (round) place = outside(group, place, [LETTER * size * text.length, 1.2 * size]);
        // Above the frame, where an enlarged name has room and covers no router.
        else if (isLarge || size > GROUP) place = { x: left + wide / 2, y: top - size * 0.6 };
        for (const [key, value] of Object.entries({ x: place.x.toFixed(1), y: place.y.toFixed(1), "font-size": decimals(size) })) texts[at].setAttribute(key, value);
      });
      titles.classList.toggle("large", isLarge || READABLE / pixels > GROUP);
    }

    return function adapt() {
      const pixels = (over.getScreenCTM() || {}).a;
      if (!pixels) return;
      // Rows of hosts below their switches are thinned out; other groups are named instead of their routers.
      const isRow = inside.length > 1;
      const choices = (one) => (!one.inside ? EVERY : isRow && !one.switches ? HOSTS : [1]);
      const every = (one) => choices(one).find((n) => one.isFitting(pixels, n)) || 0;
      const isGrouped = inside.length > 0 && inside.some((one) => every(one) === 0);
      const shown = families.filter((one) => {
        const n = isGrouped && one.inside ? 0 : every(one);
        one.show(pixels, n);
        return n > 0;
      });
      title(isGrouped, pixels);
      map.dataset.labels = isGrouped ? "groups" : "names";
      if (shown.length) map.dataset.letters = Math.min(...shown.map((one) => one.letters(pixels))).toFixed(1);
      else delete map.dataset.letters;
    };
  }

  return { draw };
})();

// Plays a schedule: draws a network, shows one step at a time, and follows messages. Used by the page of
// a schedule and by the studio. Everything that is shown was computed and judged before.
"use strict";
const pavane = (() => {
  const { COLOURS, element, shape } = pavaneNetwork;
  const ANIMATED = 700;
  const LISTED = 400;
  const ICONS = {
    first: "M3 3h2v10H3zM13 3v10L6 8z", back: "M12 3v10L4 8z", play: "M4 2.5v11L13 8z",
    pause: "M4 3h3v10H4zM9 3h3v10H9z", next: "M4 3v10l8-5z", last: "M11 3h2v10h-2zM3 3v10l7-5z",
    nearer: "M7 3h2v4h4v2H9v4H7V9H3V7h4z", farther: "M3 7h10v2H3z", whole: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
  };
  let instances = 0;

  function icon(name) {
    const svg = shape("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
    shape("path", { d: ICONS[name] }, svg);
    return svg;
  }

  const capital = (word) => word[0].toUpperCase() + word.slice(1);

  /** The words for a step and for the processor that determines a colour. */
  const words = (data) => data.words || ["step", "sender"];

  /** Colours are given out in the order in which senders begin. */
  function colours(data) {
    const numbers = new Map(data.senders.map((sender, at) => [sender, at % COLOURS]));
    return (sender) => numbers.get(sender) ?? 0;
  }

  /** Processors with the names of the picture. */
  const processors = (data) => (number) => {
    const place = data.processors[number];
    return `processor ${place && place[4] ? data.routers[place[3]][3] : number}`;
  };

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

  /** A text as it may stand in markup: names come from files. */
  const safe = (text) => String(text).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

  /** Facts above a schedule. */
  function facts(data) {
    const list = element("div", { class: "facts" });
    for (const [name, value] of data.facts) {
      const isLong = name === "because";
      const item = element("span", { class: isLong ? "because" : "fact" });
      if (isLong) item.textContent = value;
      else item.append(name + " ", element("b", { text: value }));
      list.append(item);
    }
    return list;
  }

  /**
   * Shows a schedule in `root`. `options.onlink(channel)`, `options.onrouter(router)` and
   * `options.onheal(fault)` are called on clicks; `options.onstep(step)` whenever the step changes, and
   * `options.onglide(length)` when the messages of a step begin to move for so many milliseconds.
   */
  function viewer(root, data, options = {}) {
    const id = "v" + instances++;
    const steps = data.steps.length;
    const colour = colours(data);
    const [unit] = words(data);
    let [, sender] = words(data);
    const processor = processors(data);
    let step = -1;
    let timer = 0;
    let followed = null;
    let pinned = false;
    let only = "";
    let now = 0;              // the time of a timed schedule, in moments
    let frame = 0;
    root.replaceChildren();

    // ---- the network
    const stage = element("div", { class: "stage" + (options.onlink ? " breakable" : "") });
    const { map, layers, svg, hits, paths, moving, marks: discs, isDense: dense, highlight: mark, adapt } = pavaneNetwork.draw(data, id, unit, Boolean(options.onheal));
    const dots = pavaneMotion.dots((channel) => hits.children[channel], (key) => shape("path", { class: "k" + key }, moving), COLOURS);
    stage.append(map);

    // ---- controls
    const where = element("span", { class: "where", "aria-live": "polite" });
    const control = (name, label, act) =>
      element("button", { type: "button", class: name, "aria-label": label, title: label, onclick: act }, icon(name));
    const play = control("play", "Play (space)", () => (timer ? pause() : start()));
    const speed = element("select", { "aria-label": `${capital(unit)}s per second` });
    for (const rate of [0.5, 1, 2, 4, 10, 30, 60]) {
      speed.append(element("option", { value: rate, text: String(rate), selected: rate === (data.motion ? 10 : 1) }));
    }
    const scrub = element("input", {
      type: "range", min: 0, max: Math.max(steps - 1, 0), value: 0, step: 1, "aria-label": capital(unit),
      oninput: () => { pause(); show(Number(scrub.value)); },
    });
    const zooming = pavaneMotion.zoomable(layers, svg, data.width, data.height, (scale) => { root.dataset.zoom = scale.toFixed(2); adapt(); });
    const strip = element("canvas", { "aria-hidden": "true", title: `channels in use in every ${unit}` });
    strip.addEventListener("pointerdown", (event) => {
      const box = strip.getBoundingClientRect();
      pause();
      show(Math.floor(((event.clientX - box.left) / box.width) * steps));
    });
    stage.append(
      element("div", { class: "controls", role: "group", "aria-label": "Player" },
        control("first", `First ${unit} (Home)`, () => { pause(); show(0); }),
        control("back", `${capital(unit)} back (←)`, () => { pause(); show(step - 1); }),
        play,
        control("next", `${capital(unit)} forward (→)`, () => { pause(); show(step + 1); }),
        control("last", `Last ${unit} (End)`, () => { pause(); show(steps - 1); }),
        where,
        element("span", { class: "zoom" },
          control("nearer", "Zoom in (+)", () => zooming.zoom(1.5)),
          control("farther", "Zoom out (-)", () => zooming.zoom(1 / 1.5)),
          control("whole", "Whole network (0)", () => zooming.whole())),
        element("label", { class: "speed" }, `${unit}s/s `, speed)),
      element("div", { class: "timeline" }, strip, scrub));

    // ---- beside it
    const info = element("div", { class: "followed", "aria-live": "polite" });
    const list = element("ul", { class: "transfers" });
    const filter = element("select", { onchange: () => { only = filter.value; drawn = -Infinity; draw(false); } });
    const all = element("option", { value: "" });
    filter.append(all);
    for (const one of [...data.senders].sort((one, other) => one - other)) filter.append(element("option", { value: one, text: processor(one) }));
    const [holder, fresh, colouring, owner] = ["span", "span", "span", "span"].map((name) => element(name));
    const phase = element("div", { class: "phase", hidden: !data.phases });
    const legend = element("div", { class: "legend" },
      element("i", { class: "dot holder" }), holder, element("i", { class: "dot new" }), fresh,
      ...(data.both ? [element("i", { class: "dot both" }), element("span", { text: data.both })] : []),
      element("i", { class: "dash" }), colouring);
    if (data.broken.length || data.routers.some((router) => router[2] === "lost")) {
      legend.append(element("i", { class: "dash broken" }), element("span", { text: "broken" }));
    }
    for (const [width, text] of data.bandwidths || []) {
      const line = element("i", { class: "dash link" });
      line.style.borderTopWidth = 1.4 * width + "px";
      legend.append(line, element("span", { text }));
    }
    const marked = element("div", { class: "box marked", hidden: true });
    const heading = element("h2");
    root.append(element("div", { class: "viewer" }, stage, element("div", { class: "side" },
      element("div", { class: "box" }, phase, legend), marked,
      element("div", { class: "box" }, element("div", { class: "filter" }, owner, " ", filter), heading, list),
      // Below the list: its height changes, and the list must not move under the pointer.
      element("div", { class: "box" }, info))));

    /** The phase of a step; the only one of most schedules has no name. */
    const phaseOf = (at) => (data.phases || []).findLast(([first]) => first <= at) || [0, "", data.legend, words(data)[1]];

    /** Explains the marks and colours of a phase. */
    function explain([, name, marks, word]) {
      sender = word;
      phase.textContent = name && `phase: ${name}`;
      const texts = [[holder, marks[0]], [fresh, marks[1]], [colouring, `a path, in the colour of its ${word}`], [owner, word], [all, `all ${word}s`]];
      for (const [part, text] of texts) if (part.textContent !== text) part.textContent = text;
      filter.setAttribute("aria-label", `Show the transfers of one ${word}`);
    }

    // ---- what happens
    const user = new Map();
    const path = (transfer) => {
      const channels = transfer[4];
      if (!channels.length) return `${processor(transfer[1])} to ${processor(transfer[2])} at one router`;
      const name = (router) => data.routers[router][3];
      return [data.channels[channels[0]][0], ...channels.map((c) => data.channels[c][1])].map(name).join(" → ");
    };

    let listing = 0;
    let drawn = -Infinity;
    let visible = [];
    let growing = false;

    /** The paths of this step, one element for each channel: they grow side by side. */
    function single(transfers) {
      const markup = [];
      for (const at of visible) {
        const key = colour(transfers[at][3]);
        const path = transfers[at][4];
        path.forEach((channel, hop) => {
          const tip = hop + 1 === path.length && !dense ? ` marker-end="url(#${id}t${key})"` : "";
          markup.push(`<path d="${data.channels[channel][2]}" class="k${key}" pathLength="1"${tip}/>`);
        });
      }
      return markup;
    }

    /** The same, one element for each colour: few are painted fast. */
    function grouped(transfers) {
      const lines = new Map();
      for (const at of visible) {
        const [message, , , owner, path] = transfers[at];
        const isHot = message === followed;
        const key = colour(owner) + (isHot ? COLOURS : 0);
        if (!lines.has(key)) lines.set(key, ["", ""]);
        const group = lines.get(key);
        for (const channel of path) group[0] += data.channels[channel][2];
        if (path.length && !dense) group[1] += tip(data.channels[path[path.length - 1]][2], isHot ? HOT : USUAL);
      }
      return [...lines].sort(([one], [other]) => one - other).map(([key, [line, tips]]) => {
        const hot = key >= COLOURS ? " hot" : "";
        return `<path d="${line}" class="k${key % COLOURS}${hot}"/>`
          + (tips ? `<path d="${tips}" class="tip f${key % COLOURS}${hot}"/>` : "");
      });
    }

    function draw(isGrowing) {
      const isSoon = performance.now() - drawn < 120;
      drawn = performance.now();
      const transfers = data.steps[step] || [];
      user.clear();
      const shown = [];
      transfers.forEach((transfer, at) => {
        if (only !== "" && String(transfer[3]) !== only) return;
        shown.push(at);
        for (const channel of transfer[4]) user.set(channel, at);
      });
      visible = shown;
      growing = isGrowing;
      const marks = data.marks[step] || "";
      discs.forEach((disc, processor) => {
        if (!disc) return;
        const mark = marks[processor];
        const now = { g: "new", y: "holder", b: "both" }[mark] || "";
        if (disc.getAttribute("class") !== "lost" && disc.getAttribute("class") !== now) disc.setAttribute("class", now);
      });
      if (data.motion) float();
      clearTimeout(listing);
      // The list is not updated while the slider moves: drawing it takes longer than the picture.
      const name = () => write(transfers, shown);
      if (isSoon) {
        listing = setTimeout(name, 70);
        light();
      } else name();
    }

    /** Lists the transfers that are shown. */
    function write(transfers, shown) {
      heading.textContent = `${shown.length} transfer${shown.length === 1 ? "" : "s"}` + (only === "" ? "" : ` of this ${sender}`);
      const items = shown.slice(0, LISTED).map((at) => {
        const transfer = transfers[at];
        return `<li data-t="${at}"><button type="button"><span class="chip b${colour(transfer[3])}"></span><span>${safe(path(transfer))}</span></button></li>`;
      });
      if (shown.length > LISTED) items.push(`<li class="note">and ${shown.length - LISTED} more</li>`);
      list.innerHTML = items.join("");
      light();
    }

    /** Lights up the message that is followed, wherever it is in this step. */
    function light() {
      const transfers = data.steps[step] || [];
      const isHot = (at) => followed !== null && transfers[at] && transfers[at][0] === followed;
      const uses = visible.reduce((sum, at) => sum + transfers[at][4].length, 0);
      const isSingle = growing && followed === null && uses <= ANIMATED;
      paths.setAttribute("class", "paths" + (data.motion ? " pale" : "") + (followed !== null ? " dim" : "") + (isSingle ? " grow" : ""));
      paths.innerHTML = (isSingle ? single : grouped)(transfers).join("");
      for (const item of list.children) item.classList.toggle("hot", isHot(Number(item.dataset.t)));
      if (followed === null) {
        const hint = options.hint || "Point at a channel or a transfer to follow its message; click to keep it.";
        if (info.textContent !== hint) info.textContent = hint;
        return;
      }
      info.replaceChildren();
      const here = transfers.filter((transfer) => transfer[0] === followed);
      info.append("message ", element("b", { text: followed }), here.length
        ? ": " + here.map((transfer) => `from ${processor(transfer[1])} to ${processor(transfer[2])} (${path(transfer)})`).join("; ")
        : `: not transferred in this ${unit}`);
    }

    /** Marks routers and channels, and says what they are; without a text nothing is marked. */
    function highlight(routers, channels, text) {
      mark(routers, channels);
      marked.hidden = !text;
      if (!text) return;
      const hide = element("button", { type: "button", text: "Hide", onclick: () => highlight([], [], "") });
      marked.replaceChildren(
        element("div", { class: "legend" },
          ...(channels.length ? [element("i", { class: "dash marked-line" }), element("span", { text: `${channels.length} marked channel${channels.length === 1 ? "" : "s"}` })] : []),
          ...(routers.length ? [element("i", { class: "dot marked-dot" }), element("span", { text: `${routers.length} marked router${routers.length === 1 ? "" : "s"}` })] : [])),
        element("p", { text }), hide);
    }

    function follow(message, isPinned) {
      if (pinned && !isPinned) return;
      followed = message;
      pinned = Boolean(isPinned && message !== null);
      light();
    }

    function tellChannel(channel) {
      const [tail, head] = data.channels[channel];
      const used = [];
      data.steps.forEach((transfers, at) => { if (transfers.some((transfer) => transfer[4].includes(channel))) used.push(at); });
      info.replaceChildren("channel ", element("b", { text: `${data.routers[tail][3]} → ${data.routers[head][3]}` }),
        `: idle in this ${unit}; in use in ` + (used.length ? unit + (used.length === 1 ? " " : "s ") + used.join(", ") : "no " + unit));
    }

    const still = matchMedia("(prefers-reduced-motion: reduce)");

    /** Where the player is, in words. */
    function place() {
      if (!data.motion) return `${unit} ${step} of 0–${steps - 1}`;
      const all = data.motion.microseconds;
      const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(all || 1))));
      return `${((now / steps) * all).toFixed(digits)} of ${all.toFixed(digits)} µs`;
    }

    /** Shows the chunks of a timed schedule where they are now. */
    function float() {
      const all = pavaneMotion.under(data.motion.sends, now).filter((send) => only === "" || String(send[2]) === only);
      dots.show(all.map(([channel, share, origin]) => [channel, share, colour(origin)]));
      root.dataset.moving = String(all.length);
      where.textContent = place();
    }

    /** Moves the messages of this step along their paths once. */
    function glide(length) {
      cancelAnimationFrame(frame);
      const transfers = visible.map((at) => data.steps[step][at]).filter((transfer) => transfer[4].length);
      if (still.matches || transfers.length > ANIMATED) { dots.clear(); return; }
      const begin = performance.now();
      const move = (time) => {
        const share = Math.min((time - begin) / length, 1);
        dots.show(transfers.map(([, , , owner, path]) => {
          const far = Math.min(share * path.length, path.length - 1e-6);
          return [path[Math.floor(Math.max(far, 0))], far % 1, colour(owner)];
        }));
        if (share < 1) frame = requestAnimationFrame(move);
        else dots.clear();
      };
      frame = requestAnimationFrame(move);
    }

    function show(wanted, isGrowing, time) {
      const next = Math.max(0, Math.min(steps - 1, wanted));
      now = time ?? next;
      if (data.motion && steps && step === next) float();
      if (next === step || steps === 0) return;
      step = next;
      explain(phaseOf(step));
      scrub.value = String(step);
      where.textContent = place();
      scrub.setAttribute("aria-valuetext", data.motion ? place() : `${unit} ${step} of 0 to ${steps - 1}`);
      if (!data.motion) { cancelAnimationFrame(frame); dots.clear(); }
      draw(isGrowing);
      bars();
      root.dataset.step = String(step);
      if (options.onstep) options.onstep(step);
    }

    function pause() {
      clearTimeout(timer);
      cancelAnimationFrame(timer);
      timer = 0;
      play.replaceChildren(icon("play"));
      play.setAttribute("aria-label", "Play (space)");
    }

    function start() {
      if (steps < 1) return;
      if (step >= steps - 1) show(0, true);
      play.replaceChildren(icon("pause"));
      play.setAttribute("aria-label", "Pause (space)");
      if (data.motion && !still.matches) return run();
      /** Moves the messages of the step on display, then goes to the next step. */
      const begin = () => {
        const rate = Number(speed.value);
        if (rate <= 2 && !data.motion) {
          glide(800 / rate);
          if (options.onglide) options.onglide(800 / rate);
        }
        timer = setTimeout(next, 1000 / rate);
      };
      const next = () => {
        if (step >= steps - 1) { pause(); return; }
        show(step + 1, Number(speed.value) <= 2);
        begin();
      };
      begin();
    }

    /** Plays a timed schedule without pauses. */
    function run() {
      let last = performance.now();
      const move = (time) => {
        now = Math.min(now + ((time - last) / 1000) * Number(speed.value), steps);
        last = time;
        show(Math.min(Math.floor(now), steps - 1), false, now);
        if (now >= steps) pause();
        else timer = requestAnimationFrame(move);
      };
      timer = requestAnimationFrame(move);
    }

    /** How many channels every step uses; only what has changed is painted, unless nothing is yet. */
    let inks = null;
    let lit = -1;
    function bars() {
      const width = strip.clientWidth || 600;
      const scale = window.devicePixelRatio || 1;
      const pen = strip.getContext("2d");
      const bar = (at) => {
        const wide = width / steps;
        const gap = wide > 4 ? 1 : 0;
        pen.fillStyle = inks[0];
        pen.fillRect(at * wide, 0, wide - gap, 44);
        pen.fillStyle = inks[at === step ? 1 : 2];
        const height = Math.max(1, 44 * data.usage[at]);
        pen.fillRect(at * wide, 44 - height, wide - gap, height);
      };
      if (inks && strip.width === Math.round(width * scale) && lit >= 0) {
        bar(lit);
        bar(step);
      } else {
        const style = getComputedStyle(root);
        inks = ["--idle", "--accent", "--line"].map((name) => style.getPropertyValue(name));
        strip.width = Math.round(width * scale);
        strip.height = Math.round(44 * scale);
        pen.setTransform(scale, 0, 0, scale, 0, 0);
        data.usage.forEach((_, at) => bar(at));
      }
      lit = step;
    }

    const target = (event, key) => {
      const found = event.target.closest ? event.target.closest(`[data-${key}]`) : null;
      return found ? found.dataset[key] : undefined;
    };
    svg.addEventListener("pointerover", (event) => {
      const channel = target(event, "c");
      if (channel === undefined) return;
      const at = user.get(Number(channel));
      if (at !== undefined) follow(data.steps[step][at][0]);
      else if (!pinned) { follow(null); tellChannel(Number(channel)); }
    });
    svg.addEventListener("pointerout", (event) => { if (target(event, "c") !== undefined) follow(null); });
    svg.addEventListener("click", (event) => {
      const channel = target(event, "c");
      const router = target(event, "r");
      const fault = target(event, "fault");
      if (fault !== undefined && options.onheal) options.onheal(fault);
      else if (router !== undefined && options.onrouter) options.onrouter(Number(router));
      else if (channel !== undefined && options.onlink) options.onlink(Number(channel));
      else if (channel !== undefined && user.has(Number(channel))) follow(data.steps[step][user.get(Number(channel))][0], true);
      else follow(null, true);
    });
    const listed = (event) => {
      const at = target(event, "t");
      const transfer = at === undefined ? undefined : data.steps[step][Number(at)];
      return transfer ? transfer[0] : null;
    };
    list.addEventListener("pointerover", (event) => follow(listed(event)));
    list.addEventListener("pointerleave", () => follow(null));
    list.addEventListener("focusin", (event) => follow(listed(event)));
    list.addEventListener("click", (event) => follow(listed(event), true));
    const keys = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const tag = event.target.tagName;
      if (tag === "SELECT" || tag === "TEXTAREA" || (tag === "INPUT" && event.target !== scrub)) return;
      const acts = {
        " ": () => (timer ? pause() : start()), ArrowRight: () => { pause(); show(step + 1); },
        ArrowLeft: () => { pause(); show(step - 1); }, Home: () => { pause(); show(0); },
        End: () => { pause(); show(steps - 1); }, Escape: () => follow(null, true),
        "+": () => zooming.zoom(1.5), "-": () => zooming.zoom(1 / 1.5), 0: () => zooming.whole(),
      };
      if (!acts[event.key] || (event.key === " " && tag === "BUTTON")) return;
      event.preventDefault();
      acts[event.key]();
    };
    if (options.keys !== false) document.addEventListener("keydown", keys);
    const resized = () => { inks = null; bars(); };
    const resizing = new ResizeObserver(adapt);
    resizing.observe(svg);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    window.addEventListener("resize", resized);
    scheme.addEventListener("change", resized);
    explain(phaseOf(0));
    show(Math.min(options.step || 0, steps - 1));
    return {
      show, start, pause, highlight, glide,
      get step() { return step; },
      destroy() {
        pause();
        resizing.disconnect();
        cancelAnimationFrame(frame);
        document.removeEventListener("keydown", keys);
        window.removeEventListener("resize", resized);
        scheme.removeEventListener("change", resized);
      },
    };
  }

  /** Who uses which channel when, as one picture. */
  function chart(canvas, data, step) {
    const colour = colours(data);
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
        for (const channel of transfer[4]) pen.fillRect(at * wide, channel * high, wide - (wide > 4 ? 1 : 0), high - (high > 3 ? 1 : 0));
      }
    });
    return { wide, high };
  }

  return { viewer, fit: pavaneNetwork.fit, chart, facts, element, words };
})();

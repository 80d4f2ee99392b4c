// Plays a schedule: draws a network, shows one step at a time, and follows messages. Used by the page of
// a schedule and by the studio. Everything that is shown was computed and judged before.
"use strict";
const pavane = (() => {
  const { COLOURS, element, shape } = pavaneNetwork;
  const { words, colours, processors, safe } = pavaneWords;
  const ANIMATED = 700;
  const LISTED = 400;
  let instances = 0;

  /**
   * Shows a schedule in `root`. `options.onlink(channel)`, `options.onrouter(router)` and
   * `options.onheal(fault)` are called on clicks; `options.onstep(step)` whenever the step changes, and
   * `options.onglide(length)` when the messages of a step begin to move for so many milliseconds, `options.onplay()` when
   * it begins to play.
   */
  function viewer(root, data, options = {}) {
    const id = "v" + instances++;
    const steps = data.steps.length;
    const colour = colours(data);
    const [unit] = words(data);
    let [, sender] = words(data);
    const processor = processors(data);
    // Where phases overlap, the transfers of the second follow those of the first, and are drawn dashed.
    if (data.overlap) data.steps.forEach((transfers, at) => transfers.forEach((transfer, number) => { transfer[5] = Number(number >= data.overlap.firsts[at]); }));
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
    const zooming = pavaneZoom.zoomable(map, layers, svg, data.width, data.height, (scale) => { root.dataset.zoom = scale.toFixed(2); adapt(); });
    const timeline = pavaneTimeline.timeline(root, data, unit, (wanted) => { pause(); show(wanted); });
    const { controls, play, speed } = pavaneControls.controls(unit, data.motion ? 10 : 1, where, zooming, {
      first: () => { pause(); show(0); }, back: () => { pause(); show(step - 1); }, play: () => (timer ? pause() : start()),
      next: () => { pause(); show(step + 1); }, last: () => { pause(); show(steps - 1); },
    });
    stage.append(controls, timeline.element);

    // ---- beside it
    const info = element("div", { class: "followed", "aria-live": "polite" });
    const list = element("ul", { class: "transfers" });
    const filter = element("select", { onchange: () => { only = filter.value; drawn = -Infinity; draw(false); } });
    const all = element("option", { value: "" });
    filter.append(all);
    for (const one of [...data.senders].sort((one, other) => one - other)) filter.append(element("option", { value: one, text: processor(one) }));
    const owner = element("span");
    const legend = pavaneLegend.legend(data);
    const marked = element("div", { class: "box marked", hidden: true });
    const heading = element("h2");
    root.append(element("div", { class: "viewer" }, stage, element("div", { class: "side" },
      legend.element, marked,
      element("div", { class: "box" }, element("div", { class: "filter" }, owner, " ", filter), heading, list),
      // Below the list: its height changes, and the list must not move under the pointer.
      element("div", { class: "box" }, info))));

    /** The phase of a step; the only one of most schedules has no name. */
    const phaseOf = (at) => (data.phases || []).findLast(([first]) => first <= at) || [0, "", data.legend, words(data)[1]];

    /** Explains the marks and colours of a phase. */
    function explain([, name, marks, word]) {
      sender = word;
      legend.explain(name, marks, word);
      for (const [part, text] of [[owner, word], [all, `all ${word}s`]]) if (part.textContent !== text) part.textContent = text;
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
        return `<li data-t="${at}"><button type="button"><span class="chip b${colour(transfer[3])}"></span><span>${safe(path(transfer))}${data.overlap ? ` <small>${safe(data.overlap.names[transfer[5]])}</small>` : ""}</span></button></li>`;
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
      const moved = visible.map((at) => transfers[at]);
      const lines = isSingle ? pavanePaths.single(data, moved, colour, dense, id) : pavanePaths.grouped(data, moved, colour, dense, followed);
      paths.innerHTML = lines.join("");
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
      where.textContent = place();
      timeline.show(step, data.motion ? place() : `${unit} ${step} of 0 to ${steps - 1}`);
      if (!data.motion) { cancelAnimationFrame(frame); dots.clear(); }
      draw(isGrowing);
      root.dataset.step = String(step);
      if (options.onstep) options.onstep(step);
    }

    function pause() {
      clearTimeout(timer);
      cancelAnimationFrame(timer);
      timer = 0;
      play(false);
    }

    function start() {
      if (steps < 1) return;
      if (options.onplay) options.onplay();
      if (step >= steps - 1) show(0, true);
      play(true);
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
      if (tag === "SELECT" || tag === "TEXTAREA" || (tag === "INPUT" && event.target !== timeline.slider)) return;
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
    const resized = () => timeline.resize();
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

  return { viewer, fit: pavaneNetwork.fit, chart: pavaneChart.chart, facts: pavaneWords.facts, element, words };
})();

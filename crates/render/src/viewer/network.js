// Draws a network: links, channels, routers, processors and names, in layers.
"use strict";
const pavaneNetwork = (() => {
  const COLOURS = 8;
  const SVG = "http://www.w3.org/2000/svg";

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "text") made.textContent = value;
      else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value !== false && value !== null) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  }

  function shape(name, attributes, parent) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (parent) parent.append(made);
    return made;
  }

  /** The picture of a network. `id` makes names in it unique; `unit` is the word for a step. */
  function draw(data, id, unit, isHealable) {
    const map = element("div", { class: "map" });
    // What stays the same is painted once, on layers of its own below and above what changes.
    const layer = (attributes) => shape("svg", { viewBox: `0 0 ${data.width} ${data.height}`, ...attributes }, map);
    // Small networks are not blown up beyond measure.
    map.style.setProperty("--most", Math.round(data.height * 2.2) + "px");
    const under = layer({ class: "fixed", "aria-hidden": "true" });
    const svg = layer({ role: "img", "aria-label": `${data.title}: the network with the transfers of one ${unit}` });
    const over = layer({ class: "fixed", "aria-hidden": "true" });
    const defs = shape("defs", {}, svg);
    for (let at = 0; at < COLOURS; at++) {
      const tip = shape("marker", {
        id: `${id}t${at}`, viewBox: "0 0 8 8", refX: 7.4, refY: 4, markerWidth: 3.4, markerHeight: 3.4,
        orient: "auto", markerUnits: "strokeWidth",
      }, defs);
      shape("path", { d: "M0 .6L8 4L0 7.4z", class: "f" + at }, tip);
    }
    const isDense = data.names.length === 0;
    const adapt = pavaneLabels.draw(data, shape, under, over, map);
    const links = shape("g", { class: "links" + (isDense ? " dense" : "") }, under);
    if (data.widths) {
      // Links of one width are one path.
      const byWidth = new Map();
      data.links.forEach((d, at) => byWidth.set(data.widths[at], (byWidth.get(data.widths[at]) || "") + d));
      const thinnest = isDense ? 0.6 : 1.4;
      for (const [width, d] of byWidth) shape("path", { d }, links).style.strokeWidth = thinnest * width;
    } else {
      shape("path", { d: data.links.join("") }, links);
    }
    if (data.arrows) shape("path", { class: "arrows", d: data.arrows }, under);
    const broken = shape("g", { class: "broken" }, under);
    const brokenHits = shape("g", { class: "broken-hits" }, svg);
    for (const [d, fault] of data.broken) {
      shape("path", { d }, broken);
      const hit = shape("path", { d, "data-fault": fault }, brokenHits);
      const names = fault.replaceAll("r", "").split("-").map((router) => data.routers[Number(router)][3]);
      shape("title", {}, hit).textContent = `broken: ${names.join(" – ")}` + (isHealable ? "; click to repair" : "");
    }
    const hits = shape("g", { class: "hits" }, svg);
    data.channels.forEach(([, , d], channel) => shape("path", { d, "data-c": channel }, hits));
    const paths = shape("g", { class: "paths" }, svg);
    const lit = shape("g", { class: "lit" }, svg);
    const moving = shape("g", { class: "moving" + (isDense ? " dense" : "") }, svg);
    const nodes = shape("g", { class: "nodes" }, svg);
    const discs = [];
    data.routers.forEach(([x, y, kind, name], router) => {
      const r = data.radius;
      const own = { "data-r": router, class: kind === "lost" ? "lost" : "" };
      const node = kind === "switch"
        ? shape("rect", { x: x - r * 0.9, y: y - r * 0.9, width: r * 1.8, height: r * 1.8, rx: 2, ...own }, nodes)
        : shape("circle", { cx: x, cy: y, r, ...own }, nodes);
      shape("title", {}, node).textContent = (kind === "switch" ? "switch " : "router ") + name;
      discs.push(node);
    });
    const marks = data.processors.map((place, processor) => {
      if (!place) return null;
      const [x, y, r, router, alone] = place;
      if (alone) return discs[router];
      const disc = shape("circle", { cx: x, cy: y, r, "data-r": router }, nodes);
      shape("title", {}, disc).textContent = `processor ${processor}`;
      return disc;
    });
    /** Marks routers, and channels between them. */
    function highlight(routers, channels) {
      const chosen = new Set(routers);
      discs.forEach((disc, router) => disc.toggleAttribute("data-marked", chosen.has(router)));
      lit.replaceChildren();
      for (const channel of channels) shape("path", { d: data.channels[channel][2] }, lit);
    }
    return { map, layers: [under, svg, over], svg, hits, paths, moving, marks, isDense, highlight, adapt };
  }

  /**
   * Limits the height of the pictures in these players, so that controls and timeline are visible below them if the page
   * is not scrolled; a picture is at least `least` pixels high.
   */
  function fit(roots, least) {
    const around = (root) => {
      const [stage, map] = [root.querySelector(".stage"), root.querySelector(".map svg")].map((part) => part.getBoundingClientRect());
      return stage.bottom + scrollY - map.height;
    };
    const found = roots.filter((root) => root.querySelector(".stage"));
    const room = Math.max(least, Math.floor(innerHeight - Math.max(0, ...found.map(around)) - 8));
    for (const root of found) root.querySelector(".map").style.setProperty("--room", `${room}px`);
  }

  return { COLOURS, element, shape, draw, fit };
})();

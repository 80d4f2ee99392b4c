// The editor of the studio: draws a network with the mouse or the keyboard, solves on it, and saves it as a network file.
"use strict";
(() => {
  const { $, call, filled } = studio;
  const { shape } = pavaneNetwork;
  const RADIUS = 15;
  const GRID = 10;
  const MARGIN = 50;

  const canvas = $("canvas");
  const net = pavaneSketch.sketch(draw);
  let chosen = null;        // { router } or { edge }: numbers
  let start = null;         // the router where a link starts
  let dragged = null;       // { router, isMoved, turn }
  let turns = 0;
  let view = null;          // what is visible: left and right, top and bottom
  let hasBegun = false;

  const tool = () => document.querySelector("#editor [name=tool]:checked").value;
  const tell = (text, kind = "") => { $("editor-status").textContent = text; $("editor-status").className = "status " + kind; };
  const snap = (value) => Math.round(value / GRID) * GRID;

  // ---- the picture
  function draw() {
    const focus = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.part : undefined;
    if (chosen && !(chosen.router === undefined ? net.edges[chosen.edge] : net.routers[chosen.router])) chosen = null;
    if (start !== null && !net.routers[start]) start = null;
    if (!dragged) frame();
    canvas.replaceChildren();
    const defs = shape("defs", {}, canvas);
    const tip = shape("marker", { id: "editor-tip", viewBox: "0 0 8 8", refX: 7.4, refY: 4, markerWidth: 5, markerHeight: 5, orient: "auto" }, defs);
    shape("path", { d: "M0 .6L8 4L0 7.4z", class: "tip" }, tip);
    const seen = new Map();
    net.edges.forEach((edge, at) => {
      const pair = [edge.from, edge.to].sort((a, b) => a - b).join();
      seen.set(pair, (seen.get(pair) ?? -1) + 1);
      drawEdge(edge, at, seen.get(pair));
    });
    net.routers.forEach(drawRouter);
    // A focused part keeps the focus.
    const again = focus && canvas.querySelector(`[data-part="${focus}"]`);
    if (again) again.focus({ preventScroll: true });
    properties();
    $("undo").disabled = !net.canUndo;
    $("redo").disabled = !net.canRedo;
    $("editor-name").value = net.name;
    canvas.dataset.routers = String(net.routers.length);
    canvas.dataset.edges = String(net.edges.length);
    $("use").disabled = $("save").disabled = net.routers.length === 0;
    if (!canvas.contains(document.activeElement) && !net.routers.length) canvas.setAttribute("tabindex", "0");
  }

  /** Makes the whole network visible: in the middle if it is new, otherwise the view only grows. */
  function frame() {
    // A point is a pixel unless the network is larger than the canvas.
    const least = [Math.max(320, canvas.clientWidth), Math.max(240, canvas.clientHeight)];
    const ends = (pick) => [Math.min(...net.routers.map(pick)) - MARGIN, Math.max(...net.routers.map(pick)) + MARGIN];
    const all = net.routers.length ? [ends(({ x }) => x), ends(({ y }) => y)] : least.map((size) => [0, size]);
    view = all.map(([low, high], axis) => {
      if (view) return [Math.min(low, view[axis][0]), Math.max(high, view[axis][1])];
      const more = Math.max(0, least[axis] - (high - low)) / 2;
      return [low - more, high + more];
    });
    const [[left, right], [top, bottom]] = view;
    canvas.setAttribute("viewBox", `${left} ${top} ${right - left} ${bottom - top}`);
  }

  /** Attributes of a part that can be focused. */
  const part = (name, label, isChosen) => ({ "data-part": name, tabindex: 0, role: "button", "aria-label": label, class: isChosen ? "chosen" : "" });

  function drawEdge(edge, at, parallel) {
    const [a, b] = [net.routers[edge.from], net.routers[edge.to]];
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const [ux, uy] = [(b.x - a.x) / length, (b.y - a.y) / length];
    const sign = edge.from < edge.to ? 1 : -1;
    const bend = sign * 26 * Math.ceil(parallel / 2) * (parallel % 2 ? 1 : -1);
    const middle = [(a.x + b.x) / 2 - uy * bend, (a.y + b.y) / 2 + ux * bend];
    const end = edge.isLink ? [b.x, b.y] : [b.x - ux * (RADIUS + 3), b.y - uy * (RADIUS + 3)];
    const d = `M${a.x} ${a.y}Q${middle} ${end}`;
    const group = shape("g", part(`e${at}`, `${edge.isLink ? "link" : "channel"} ${net.called(edge)}`, chosen && chosen.edge === at), canvas);
    shape("path", { d, class: "hit" }, group);
    shape("path", { d, class: "line", ...(edge.isLink ? {} : { "marker-end": "url(#editor-tip)" }) }, group);
  }

  function drawRouter(router, at) {
    const near = net.edges.filter((edge) => edge.from === at || edge.to === at).map((edge) => net.label(edge.from === at ? edge.to : edge.from));
    const what = router.processors === 0 ? "switch" : router.processors === 1 ? "router" : `router with ${router.processors} processors`;
    const label = `${what} ${router.name}, ${near.length ? "linked to " + near.join(", ") : "not linked"}`;
    const group = shape("g", { ...part(`r${at}`, label, chosen && chosen.router === at), transform: `translate(${router.x} ${router.y})` }, canvas);
    if (start === at) group.classList.add("start");
    if (router.processors) shape("circle", { r: RADIUS }, group);
    else shape("rect", { x: -RADIUS * 0.9, y: -RADIUS * 0.9, width: RADIUS * 1.8, height: RADIUS * 1.8, rx: 2 }, group);
    const text = router.name.length > 12 ? router.name.slice(0, 11) + "…" : router.name;
    shape("text", { "font-size": 12, y: text.length > 3 ? RADIUS + 10 : 0 }, group).textContent = text;
    if (router.processors > 1) shape("text", { "font-size": 10, x: RADIUS, y: -RADIUS }, group).textContent = `×${router.processors}`;
  }

  // ---- properties of the chosen part
  function properties() {
    const router = chosen && chosen.router !== undefined ? net.routers[chosen.router] : null;
    const edge = chosen && chosen.edge !== undefined ? net.edges[chosen.edge] : null;
    $("router-properties").hidden = !router;
    $("edge-properties").hidden = !edge;
    const put = (id, value) => { if (document.activeElement !== $(id)) $(id).value = value ?? ""; };
    if (router) { put("router-name", router.name); put("router-processors", router.processors); }
    if (edge) { put("edge-bandwidth", edge.bandwidth); put("edge-latency", edge.latency); $("edge-oneway").checked = !edge.isLink; }
    $("remove").disabled = !chosen;
  }

  $("router-name").addEventListener("change", () => {
    const name = $("router-name").value.trim();
    if (!chosen) return;
    if (!name || net.routers.some((router, at) => router.name === name && at !== chosen.router)) {
      tell(name ? `another router is called ${name}` : "a router needs a name", "bad");
      return;
    }
    net.set(net.routers[chosen.router], { name });
  });
  $("router-processors").addEventListener("change", () => {
    const count = Number($("router-processors").value);
    if (!chosen || !Number.isInteger(count) || count < 0 || count > 64) { tell("a router has 0 to 64 processors", "bad"); return; }
    net.set(net.routers[chosen.router], { processors: count });
  });
  for (const [id, field] of [["edge-bandwidth", "bandwidth"], ["edge-latency", "latency"]]) {
    $(id).addEventListener("change", () => {
      const text = $(id).value.trim();
      const value = Number(text);
      if (!chosen || (text && !(value >= 0 && Number.isFinite(value)))) { tell(`${field}: ${text} is not a number from 0 on`, "bad"); return; }
      net.set(net.edges[chosen.edge], { [field]: text ? value : undefined });
    });
  }
  $("edge-oneway").addEventListener("change", () => { if (chosen) net.set(net.edges[chosen.edge], { isLink: !$("edge-oneway").checked, pair: undefined }); });
  $("editor-name").addEventListener("change", () => net.rename($("editor-name").value.trim() || "drawn"));

  // ---- actions, for mouse and keyboard
  const named = (element) => (element ? element.dataset.part : undefined);
  const parse = (text) => (text === undefined ? null : text[0] === "r" ? { router: Number(text.slice(1)) } : { edge: Number(text.slice(1)) });

  function remove(what) {
    if (!what) return;
    const text = what.router === undefined ? net.called(net.edges[what.edge]) : `router ${net.label(what.router)}`;
    chosen = start = null;
    if (what.router === undefined) net.removeEdge(what.edge);
    else net.removeRouter(what.router);
    tell(`removed ${text}`);
    canvas.focus({ preventScroll: true });
  }

  /** Starts a link at a router, or ends it there. */
  function join(router) {
    if (start === null) { start = router; tell(`link from ${net.label(router)}: choose the other router`); draw(); return; }
    const from = start;
    start = null;
    if (from === router) { tell(""); draw(); return; }
    chosen = { edge: net.edges.length };
    net.addEdge(from, router, !$("oneway").checked);
    tell(`added ${net.called(net.edges.at(-1))}`);
  }

  /** Adds a router at a place, or at a free one beside the chosen router. */
  function add(x, y) {
    if (x === undefined) {
      const { x: left, y: top } = net.routers[chosen && chosen.router !== undefined ? chosen.router : net.routers.length - 1] || { x: view[0][0], y: view[1][0] + MARGIN };
      [x, y] = [left + 80, top];
      while (net.routers.some((router) => Math.hypot(router.x - x, router.y - y) < 40)) y += 60;
    }
    const at = net.addRouter(snap(x), snap(y), $("switches").checked ? 0 : 1);
    chosen = { router: at };
    tell(`added router ${net.label(at)}`);
    draw();
    canvas.querySelector(`[data-part=r${at}]`).focus({ preventScroll: true });
  }

  // ---- the mouse
  const place = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(canvas.getScreenCTM().inverse());
    return [at.x, at.y];
  };
  const under = (event) => parse(named(document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-part]")));

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const what = parse(named(event.target.closest("[data-part]")));
    chosen = what;
    if (tool() === "link" && what && what.router !== undefined && start === null) { start = what.router; dragged = { router: what.router, isLink: true, isMoved: false }; }
    else if (tool() === "move" && what && what.router !== undefined) dragged = { router: what.router, isMoved: false, turn: ++turns };
    draw();
    if (dragged) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!dragged || !event.buttons) return;
    const [x, y] = place(event);
    const { x: left, y: top } = net.routers[dragged.router];
    if (!dragged.isMoved && Math.hypot(x - left, y - top) < 6) return;
    dragged.isMoved = true;
    if (!dragged.isLink) net.move(dragged.router, snap(x), snap(y), `drag ${dragged.turn}`);
  });
  // Parts are drawn anew when the button goes down, so that browsers report no click on them.
  canvas.addEventListener("pointerup", (event) => {
    const ended = dragged;
    const what = under(event);
    const router = what && what.router !== undefined ? what.router : null;
    dragged = null;
    if (ended && ended.isLink && !ended.isMoved) tell(`link from ${net.label(start)}: choose the other router`);
    else if (ended && ended.isLink && router !== null) join(router);
    else if (ended && ended.isLink) { start = null; tell(""); }
    else if (tool() === "router" && !what) add(...place(event));
    else if (tool() === "delete") remove(what);
    else if (tool() === "link" && router !== null && start !== null) join(router);
    draw();
  });
  canvas.addEventListener("pointercancel", () => { dragged = start = null; draw(); });

  // ---- the keyboard
  canvas.addEventListener("focusin", (event) => {
    const what = parse(named(event.target.closest("[data-part]")));
    if (!what || dragged || (chosen && chosen.router === what.router && chosen.edge === what.edge)) return;
    chosen = what;
    draw();
  });
  $("editor").addEventListener("keydown", (event) => {
    const isField = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) && !["radio", "checkbox"].includes(event.target.type);
    const key = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && !isField && (key === "z" || key === "y")) {
      event.preventDefault();
      if (key === "y" || event.shiftKey) net.redo(); else net.undo();
      return;
    }
    // The keys of the player do not apply here.
    event.stopPropagation();
    if (!canvas.contains(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const router = chosen && chosen.router !== undefined ? chosen.router : null;
    const far = event.shiftKey ? 1 : GRID;
    const shift = { arrowleft: [-far, 0], arrowright: [far, 0], arrowup: [0, -far], arrowdown: [0, far] }[key];
    if (shift && router !== null) net.move(router, net.routers[router].x + shift[0], net.routers[router].y + shift[1], `keys ${router}`);
    else if (key === "n") add();
    else if ((key === "l" || key === "enter" || key === " ") && router !== null && (key === "l" || start !== null)) join(router);
    else if (key === "delete" || key === "backspace") remove(chosen);
    else if (key === "escape") { start = null; tell(""); draw(); }
    else return;
    event.preventDefault();
  });

  // ---- buttons
  $("undo").addEventListener("click", () => net.undo());
  $("redo").addEventListener("click", () => net.redo());
  $("add-router").addEventListener("click", () => add());
  $("remove").addEventListener("click", () => remove(chosen));
  $("clear").addEventListener("click", () => { chosen = start = view = null; net.clear(); tell("an empty network"); });

  /** Loads the network of the form. */
  async function load() {
    try {
      const asked = filled(["network", "text", "text_name"]);
      if (asked.text) delete asked.network;
      else delete asked.text_name;
      const file = await call("network", asked);
      chosen = start = view = null;
      net.load(file);
      tell(`${net.routers.length} routers and ${net.edges.length} links of ${file.name}`);
    } catch (error) {
      tell(error.message, "bad");
    }
  }
  $("load").addEventListener("click", load);

  const text = () => JSON.stringify(net.file());
  $("use").addEventListener("click", () => {
    $("text").value = text();
    $("text_name").value = $("network").value = "";
    $("text").dispatchEvent(new Event("input", { bubbles: true }));
    $("form").requestSubmit();
  });
  $("save").addEventListener("click", () => {
    const url = URL.createObjectURL(new Blob([text() + "\n"], { type: "application/json" }));
    const made = pavane.element("a", { href: url, download: `${net.name.replace(/[^\w.-]+/g, "-") || "network"}.json` });
    document.body.append(made);
    made.click();
    made.remove();
    URL.revokeObjectURL(url);
  });

  $("edit").addEventListener("click", async () => {
    const isOpen = $("editor").hidden;
    $("editor").hidden = !isOpen;
    $("edit").setAttribute("aria-expanded", String(isOpen));
    if (isOpen && !hasBegun) { hasBegun = true; await load(); }
    if (isOpen) canvas.focus({ preventScroll: true });
  });
  draw();
})();

// A network that is being drawn: its routers and links, changes that can be undone, and its file in the format of
// docs/network-files.md.
"use strict";
const pavaneSketch = (() => {
  const MOST_UNDONE = 300;
  const UNIT = 76;          // points between neighbours when a network is loaded

  function sketch(onchange) {
    let now = { name: "drawn", routers: [], edges: [] };
    let past = [];
    let future = [];

    const copy = () => JSON.stringify(now);
    /** Makes a change that can be undone. Changes with the same `key`, one after another, are undone together. */
    let last = null;
    function change(act, key = null) {
      if (key === null || key !== last) {
        past.push(copy());
        past = past.slice(-MOST_UNDONE);
      }
      last = key;
      future = [];
      act();
      onchange();
    }
    function go(from, to) {
      if (!from.length) return;
      to.push(copy());
      now = JSON.parse(from.pop());
      last = null;
      onchange();
    }

    /** A change after which the network is not the one that was loaded, and has not its name. */
    const edit = (act) => change(() => {
      act();
      if (now.name === now.loaded) now.name = "drawn";
      delete now.loaded;
    });

    /** A name that no router has. */
    function free() {
      const names = new Set(now.routers.map((router) => router.name));
      let at = now.routers.length;
      while (names.has(String(at))) at++;
      return String(at);
    }

    const label = (router) => now.routers[router].name;
    const called = (edge) => `${label(edge.from)} ${edge.isLink ? "–" : "→"} ${label(edge.to)}`;

    return {
      get routers() { return now.routers; },
      get edges() { return now.edges; },
      get name() { return now.name; },
      get canUndo() { return past.length > 0; },
      get canRedo() { return future.length > 0; },
      label, called,
      undo: () => go(past, future),
      redo: () => go(future, past),
      clear: () => change(() => { now = { name: "drawn", routers: [], edges: [] }; }),
      rename: (name) => change(() => { now.name = name; }, "name"),
      /** Adds a router and returns its number. */
      addRouter(x, y, processors = 1) {
        edit(() => now.routers.push({ name: free(), x: Math.round(x), y: Math.round(y), processors }));
        return now.routers.length - 1;
      },
      addEdge(from, to, isLink = true) {
        if (from !== to) edit(() => now.edges.push({ from, to, isLink }));
      },
      move(router, x, y, key) {
        change(() => Object.assign(now.routers[router], { x: Math.round(x), y: Math.round(y) }), key);
      },
      set(part, values) { edit(() => Object.assign(part, values)); },
      removeEdge(at) {
        const { pair } = now.edges[at];
        edit(() => { now.edges = now.edges.filter((edge, other) => other !== at && (pair === undefined || edge.pair !== pair)); });
      },
      removeRouter(at) {
        edit(() => {
          now.routers.splice(at, 1);
          const after = (router) => (router > at ? router - 1 : router);
          now.edges = now.edges.filter((edge) => edge.from !== at && edge.to !== at);
          for (const edge of now.edges) [edge.from, edge.to] = [after(edge.from), after(edge.to)];
        });
      },
      /** Replaces the network by that of a file. */
      load(file) { const loaded = read(file); change(() => { now = loaded; }); },
      file: () => written(now),
    };
  }

  /** Reads a file as the studio writes it: numbers instead of names, a position for every router. */
  function read(file) {
    const names = Array.isArray(file.routers) ? file.routers : Array.from({ length: file.routers }, (_, at) => String(at));
    const homes = Array.isArray(file.processors) ? file.processors : names.map((_, at) => at);
    const copying = new Set(file.multicast || []);
    const routers = names.map((name, at) => ({
      name, x: Math.round(file.positions[at][0] * UNIT), y: Math.round(file.positions[at][1] * UNIT),
      processors: homes.filter((home) => home === at).length, ...(copying.has(at) ? { copies: true } : {}),
    }));
    const edge = (entry, isLink) => {
      const whole = Array.isArray(entry) ? { from: entry[0], to: entry[1] } : entry;
      const { from, to, bandwidth_gbytes: bandwidth, latency_ns: latency, link: pair } = whole;
      return { from, to, isLink, bandwidth, latency, pair };
    };
    const edges = (file.links || []).map((entry) => edge(entry, true));
    // Two opposite channels of a link are one, unless their times differ.
    const waiting = new Map();
    for (const channel of (file.channels || []).map((entry) => edge(entry, false))) {
      const other = waiting.get(channel.pair);
      const isSame = other && other.bandwidth === channel.bandwidth && other.latency === channel.latency;
      if (isSame) { other.isLink = true; delete other.pair; } else edges.push(channel);
      if (channel.pair !== undefined && !other) waiting.set(channel.pair, channel);
    }
    return { name: file.name || "drawn", loaded: file.name, routers, edges: JSON.parse(JSON.stringify(edges)) };
  }

  function written({ name, routers, edges }) {
    const entry = ({ from, to, bandwidth, latency, pair }) => {
      const more = {};
      if (bandwidth !== undefined) more.bandwidth_gbytes = bandwidth;
      if (latency !== undefined) more.latency_ns = latency;
      if (pair !== undefined) more.link = pair;
      return Object.keys(more).length ? { from, to, ...more } : [from, to];
    };
    const isNumbered = routers.every((router, at) => router.name === String(at));
    const copying = routers.flatMap((router, at) => (router.copies && !router.processors ? [at] : []));
    return {
      format: "pavane/network/1",
      name,
      routers: isNumbered ? routers.length : routers.map((router) => router.name),
      links: edges.filter((edge) => edge.isLink).map(entry),
      channels: edges.filter((edge) => !edge.isLink).map(entry),
      processors: routers.flatMap((router, at) => Array(router.processors).fill(at)),
      positions: routers.map(({ x, y }) => [x, y]),
      ...(copying.length ? { multicast: copying } : {}),
    };
  }

  return { sketch };
})();

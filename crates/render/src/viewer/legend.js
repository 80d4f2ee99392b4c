// The legend: the phase of the step, the marks of processors, the colours of paths, and the widths of links.
"use strict";
const pavaneLegend = (() => {
  const { element } = pavaneNetwork;

  function legend(data) {
    const [holder, fresh, colouring] = ["span", "span", "span"].map((name) => element(name));
    const phase = element("div", { class: "phase", hidden: !data.phases });
    const marks = element("div", { class: "legend" },
      element("i", { class: "dot holder" }), holder, element("i", { class: "dot new" }), fresh,
      ...(data.both ? [element("i", { class: "dot both" }), element("span", { text: data.both })] : []),
      element("i", { class: "dash" }), colouring);
    if (data.overlap) data.overlap.names.forEach((name, number) => marks.append(element("i", { class: "dash plain" + (number ? " second" : "") }), element("span", { text: `a path of the ${name}` })));
    if (data.broken.length || data.routers.some((router) => router[2] === "lost")) {
      marks.append(element("i", { class: "dash broken" }), element("span", { text: "broken" }));
    }
    for (const [width, text] of data.bandwidths || []) {
      const line = element("i", { class: "dash link" });
      line.style.borderTopWidth = 1.4 * width + "px";
      marks.append(line, element("span", { text }));
    }
    return {
      element: element("div", { class: "box" }, phase, marks),
      /** Names a phase and explains its marks; paths have the colour of `word`. */
      explain(name, meanings, word) {
        phase.textContent = name && `phase: ${name}`;
        const texts = [[holder, meanings[0]], [fresh, meanings[1]], [colouring, `a path, in the colour of its ${word}`]];
        for (const [part, text] of texts) if (part.textContent !== text) part.textContent = text;
      },
    };
  }

  return { legend };
})();

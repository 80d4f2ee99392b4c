// The buttons of the player.
"use strict";
const pavaneControls = (() => {
  const { element, shape } = pavaneNetwork;
  const ICONS = {
    first: "M3 3h2v10H3zM13 3v10L6 8z", back: "M12 3v10L4 8z", play: "M4 2.5v11L13 8z",
    pause: "M4 3h3v10H4zM9 3h3v10H9z", next: "M4 3v10l8-5z", last: "M11 3h2v10h-2zM3 3v10l7-5z",
    nearer: "M7 3h2v4h4v2H9v4H7V9H3V7h4z", farther: "M3 7h10v2H3z", whole: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
  };

  function icon(name) {
    const svg = shape("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
    shape("path", { d: ICONS[name] }, svg);
    return svg;
  }

  /** A button with an icon. */
  const button = (name, label, act) =>
    element("button", { type: "button", class: name, "aria-label": label, title: label, onclick: act }, icon(name));

  /**
   * The buttons, and the speed in steps per second. `where` says which step is shown, and `acts` has what the buttons
   * do. Returns also `play(isPlaying)`, which changes the button.
   */
  function controls(unit, rate, where, zooming, acts) {
    const name = pavaneWords.capital(unit);
    const speed = element("select", { "aria-label": `${name}s per second` });
    for (const one of [0.5, 1, 2, 4, 10, 30, 60]) speed.append(element("option", { value: one, text: String(one), selected: one === rate }));
    const toggle = button("play", "Play (space)", acts.play);
    return {
      controls: element("div", { class: "controls", role: "group", "aria-label": "Player" },
        button("first", `First ${unit} (Home)`, acts.first),
        button("back", `${name} back (←)`, acts.back),
        toggle,
        button("next", `${name} forward (→)`, acts.next),
        button("last", `Last ${unit} (End)`, acts.last),
        where,
        element("span", { class: "zoom" },
          button("nearer", "Zoom in (+)", () => zooming.zoom(1.5)),
          button("farther", "Zoom out (-)", () => zooming.zoom(1 / 1.5)),
          button("whole", "Whole network (0)", () => zooming.whole())),
        element("label", { class: "speed" }, `${unit}s/s `, speed)),
      speed,
      play(isPlaying) {
        toggle.replaceChildren(icon(isPlaying ? "pause" : "play"));
        toggle.setAttribute("aria-label", isPlaying ? "Pause (space)" : "Play (space)");
      },
    };
  }

  return { controls };
})();

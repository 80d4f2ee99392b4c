// The timeline: a bar for every step, as high as the share of channels in use, and the slider below it.
"use strict";
const pavaneTimeline = (() => {
  const { element } = pavaneNetwork;
  const HIGH = 44;

  /** A timeline in the colours of `root`; `onpick(step)` is called on clicks and when the slider moves. */
  function timeline(root, data, unit, onpick) {
    const steps = data.steps.length;
    const slider = element("input", {
      type: "range", min: 0, max: Math.max(steps - 1, 0), value: 0, step: 1, "aria-label": pavaneWords.capital(unit),
      oninput: () => onpick(Number(slider.value)),
    });
    const strip = element("canvas", { "aria-hidden": "true", title: `channels in use in every ${unit}` });
    strip.addEventListener("pointerdown", (event) => {
      const box = strip.getBoundingClientRect();
      onpick(Math.floor(((event.clientX - box.left) / box.width) * steps));
    });
    let step = -1;
    let lit = -1;
    let inks = null;

    /** Paints the bars; only what has changed, unless nothing is yet. */
    function paint() {
      const width = strip.clientWidth || 600;
      const scale = window.devicePixelRatio || 1;
      const pen = strip.getContext("2d");
      const bar = (at) => {
        const wide = width / steps;
        const gap = wide > 4 ? 1 : 0;
        pen.fillStyle = inks[0];
        pen.fillRect(at * wide, 0, wide - gap, HIGH);
        pen.fillStyle = inks[at === step ? 1 : 2];
        const height = Math.max(1, HIGH * data.usage[at]);
        pen.fillRect(at * wide, HIGH - height, wide - gap, height);
      };
      if (inks && strip.width === Math.round(width * scale) && lit >= 0) {
        bar(lit);
        bar(step);
      } else {
        const style = getComputedStyle(root);
        inks = ["--idle", "--accent", "--line"].map((name) => style.getPropertyValue(name));
        strip.width = Math.round(width * scale);
        strip.height = Math.round(HIGH * scale);
        pen.setTransform(scale, 0, 0, scale, 0, 0);
        data.usage.forEach((_, at) => bar(at));
      }
      lit = step;
    }

    return {
      element: element("div", { class: "timeline" }, strip, slider),
      slider,
      /** Shows a step, which is called `text`. */
      show(at, text) {
        step = at;
        slider.value = String(at);
        slider.setAttribute("aria-valuetext", text);
        paint();
      },
      /** Paints everything again: the size or the colours have changed. */
      resize() { inks = null; paint(); },
    };
  }

  return { timeline };
})();

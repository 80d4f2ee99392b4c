// The k-synchronous schedules from the fewest steps to the highest bandwidth: a table, a plot, and the schedule of
// the point that is chosen in either.
"use strict";
(() => {
  const { $, address, call, machine, row, link, remember } = studio;
  let player = null;

  const front = studio.section("front", {
    word: "searching",
    wish() {
      remember();
      front.run({ kind: "pareto", machine: machine(), max_chunks: $("front-chunks").value.trim(), max_steps: $("front-steps").value.trim() });
    },
    show(job, data) {
      $("front-title").textContent = data.title + (data.missing ? `; missing: ${data.missing}` : "");
      const notes = [data.limit === null ? "" : `limit: ${data.limit} rounds per chunk, the throughput limit`, data.legend, data.complete ? "" : "stopped before all numbers of chunks were settled"];
      $("front-legend").textContent = notes.filter(Boolean).join(". ") + ".";
      const name = (point) => `(${point.chunks}, ${point.steps}, ${point.rounds})`;
      const choose = (at, attributes) => pavane.element("button", { type: "button", "data-point": at, onclick: () => play(job, at), ...attributes });
      document.querySelector("#front-rows tbody").replaceChildren(...data.points.map((point, at) => row(
        point.front ? "*" : "", choose(at, { text: name(point), title: "show this schedule" }), point.rounds_per_chunk, point.rounds_by_step.join("+"),
        data.fewer_in_words[at], link(job, { to: "json", point: at }, "schedule"))));
      $("front-plot").src = address(`jobs/${job}/download`, { to: "svg" });
      // Points of the front are on top of others at the same place.
      const order = data.points.map((_, at) => at).sort((one, other) => data.points[one].front - data.points[other].front);
      $("front-points").replaceChildren(...order.map((at) => {
        const [x, y] = data.places[at];
        const point = choose(at, { class: data.points[at].front ? "best" : "", "aria-label": `show the schedule of ${name(data.points[at])}`, title: `${name(data.points[at])}: ${data.fewer_in_words[at]}` });
        [point.style.left, point.style.top] = [`${100 * x}%`, `${100 * y}%`];
        return point;
      }));
      $("front-svg").href = address(`jobs/${job}/download`, { to: "svg" });
      $("front-all").href = address(`jobs/${job}/download`, { to: "tar" });
      clear();
    },
  });

  function clear() {
    if (player) player.destroy();
    player = null;
    $("front-played").hidden = true;
    $("front-player").replaceChildren();
  }

  /** Shows the schedule of a point. */
  async function play(job, at) {
    try {
      const data = await call(`jobs/${job}/data`, undefined, { point: at });
      clear();
      $("front-played").hidden = false;
      $("front-name").textContent = data.title;
      $("front-facts").replaceChildren(pavane.facts(data));
      player = pavane.viewer($("front-player"), data, { keys: false });
      $("front-played").dataset.point = String(at);
      for (const button of document.querySelectorAll("#front-result [data-point]")) button.toggleAttribute("aria-current", button.dataset.point === String(at));
    } catch (error) {
      front.tell(error.message, "bad");
    }
  }

  studio.onproblem.push(() => front.drop());
})();

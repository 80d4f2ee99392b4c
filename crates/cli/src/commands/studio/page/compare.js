// Our schedule beside the algorithms of libraries: a table and a chart for every size, and every schedule to play.
"use strict";
(() => {
  const { $, address, call, machine, row, figure, remember } = studio;
  let player = null;

  const contest = studio.section("contest", {
    word: "simulating",
    wish() {
      remember();
      contest.run({ kind: "compare", machine: machine(), bytes: $("contest-bytes").value.trim() || $("contest-bytes").placeholder });
    },
    show(job, data) {
      $("contest-title").textContent = data.title + (data.missing ? `; missing: ${data.missing}` : "");
      clear();
      $("contest-sizes").replaceChildren(...data.sizes.map((size, at) => table(job, data, size, at)));
    },
  });

  function clear() {
    if (player) player.destroy();
    player = null;
    $("contest-played").hidden = true;
    $("contest-player").replaceChildren();
  }

  function table(job, data, size, at) {
    const name = data.sizes_in_words[at];
    const head = pavane.element("thead", {}, pavane.element("tr", {}, ...["algorithm", "µs", "algorithm GB/s", "bus GB/s", "× bound", "chunks", "sends"].map((text) => pavane.element("th", { scope: "col", text }))));
    const rows = size.algorithms.map((one) => row(
      pavane.element("button", { type: "button", text: one.name, title: "play this schedule", "aria-label": `play ${one.name}, ${name}`, onclick: () => play(job, at, one.name) }),
      figure(one.microseconds, 4), figure(one.algorithm_gbytes), figure(one.bus_gbytes), figure(one.times_bound, 3), String(one.chunks), String(one.sends)));
    const picture = { to: "svg", size: at };
    return pavane.element("section", {},
      pavane.element("h3", { text: `${name}: at least ${figure(size.bound_microseconds, 4)} µs` }),
      pavane.element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `algorithms, ${name}` },
        pavane.element("table", { class: "numbers" }, head, pavane.element("tbody", {}, ...rows))),
      pavane.element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `channels in use, ${name}` },
        pavane.element("img", { class: "chart", src: address(`jobs/${job}/download`, picture), alt: `when every algorithm uses its busiest channels, ${name}` })),
      pavane.element("p", {}, studio.link(job, picture, "Download the chart")));
  }

  /** Plays the schedule of an algorithm. */
  async function play(job, size, algorithm) {
    try {
      const data = await call(`jobs/${job}/data`, undefined, { size, algorithm });
      clear();
      $("contest-played").hidden = false;
      $("contest-name").textContent = data.title;
      $("contest-facts").replaceChildren(pavane.facts(data));
      $("contest-file").href = address(`jobs/${job}/download`, { to: "json", size, algorithm });
      player = pavane.viewer($("contest-player"), data, { keys: false });
      $("contest-played").dataset.algorithm = algorithm;
      $("contest-played").scrollIntoView({ block: "nearest" });
    } catch (error) {
      contest.tell(error.message, "bad");
    }
  }

  studio.onproblem.push(() => contest.drop());
})();

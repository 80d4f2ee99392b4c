// A mission of concurrent messages: makespan, waiting times, and a chart of the links.
"use strict";
(() => {
  const { $, address, asked } = studio;
  const FIELDS = ["messages", "density", "mean", "sigma", "switching", "routing", "policy"];

  const traffic = studio.section("traffic", {
    word: "simulating the mission",
    wish() {
      const wishes = Object.fromEntries(FIELDS.map((field) => [field, $(`traffic-${field}`).value.trim()]));
      traffic.run({ kind: "traffic", problem: asked(), faults: studio.faults(), ...wishes });
    },
    show(job, data) {
      $("traffic-title").textContent = data.title;
      studio.lines($("traffic-lines"), data.lines);
      $("traffic-drawing").hidden = !data.is_drawn;
      if (data.is_drawn) $("traffic-picture").src = address(`jobs/${job}/download`, { to: "svg" });
      $("traffic-svg").hidden = !data.is_drawn;
      $("traffic-svg").href = address(`jobs/${job}/download`, { to: "svg" });
      $("traffic-csv").href = address(`jobs/${job}/download`, { to: "csv" });
    },
  });
  studio.onchoices.push((choices) => {
    studio.named("traffic-routing", choices.routings);
    for (const name of choices.permutations) $("traffic-messages").append(pavane.element("option", { value: `permutation=${name}`, text: `permutation: ${name}` }));
    for (const [value, meaning] of choices.policies) $("traffic-policy").append(pavane.element("option", { value, text: meaning, selected: value === "lbf" }));
  });
  studio.onproblem.push(() => traffic.drop());
})();

// What the loss of each part costs, in steps or in GB/s: a heat map and a table.
"use strict";
(() => {
  const { $, address, asked, filled, row, figure } = studio;
  const UNITS = {
    steps: { kind: "faults", heads: ["fault", "faults", "steps", "bound", "more steps", "cost", "note"] },
    "GB/s": { kind: "fault-limits", heads: ["fault", "faults", "algorithm GB/s", "cost GB/s", "cost", "note"] },
  };
  let unit = "steps";

  const heat = studio.section("heat", {
    word: "computing",
    wish() {
      unit = $("heat-unit").value;
      const wishes = { of: $("heat-of").value, count: $("heat-count").value || "1" };
      if (unit === "GB/s") Object.assign(wishes, filled(["bandwidth"]));
      heat.run({ kind: UNITS[unit].kind, problem: asked(), faults: studio.faults(), ...wishes });
    },
    async show(job, data) {
      $("heat-title").textContent = data.title;
      const picture = await (await fetch(address(`jobs/${job}/download`, { to: "svg" }))).text();
      $("heat-picture").src = "data:image/svg+xml," + encodeURIComponent(picture);
      $("heat-svg").href = address(`jobs/${job}/download`, { to: "svg" });
      $("heat-csv").href = address(`jobs/${job}/download`, { to: "csv" });
      const heads = UNITS[unit].heads.map((text) => pavane.element("th", { scope: "col", text }));
      document.querySelector("#heat-rows thead").replaceChildren(pavane.element("tr", {}, ...heads));
      document.querySelector("#heat-rows tbody").replaceChildren(...data.rows.map(line));
    },
  });

  function line(cost) {
    const percent = cost.cost_percent === null ? "–" : `${cost.cost_percent.toFixed(1)} %`;
    const figures = unit === "steps"
      ? [figure(cost.steps, 0), figure(cost.bound, 0), figure(cost.more_steps, 0)]
      : [figure(cost.algorithm_gbytes), figure(cost.cost_gbytes)];
    return row(cost.fault, String(cost.count), ...figures, percent, cost.note);
  }

  studio.onproblem.push(() => heat.drop());
})();

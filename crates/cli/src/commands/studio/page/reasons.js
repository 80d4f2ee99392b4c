// Why no schedule has fewer steps, and whether a routing can deadlock: arguments and cycles, marked in the picture.
"use strict";
(() => {
  const { $, address, asked, filled, row } = studio;

  const bounds = studio.section("bounds", {
    word: "computing the bounds",
    wish() { bounds.run({ kind: "bounds", problem: asked(), faults: studio.faults() }); },
    show(job, data) {
      $("bounds-title").textContent = `${data.title}: at least ${data.steps} step${data.steps === 1 ? "" : "s"}`;
      document.querySelector("#bounds-rows tbody").replaceChildren(...data.rows.map((bound) => row(
        bound.is_best ? "*" : "", String(bound.steps), bound.phase === null ? bound.reason : `${bound.reason}, ${bound.phase}`, bound.explanation,
        bound.routers.length + bound.channels.length ? pavane.element("button", {
          type: "button", text: "show", "aria-label": `show ${bound.reason} in the picture`, onclick: () => studio.highlight(bound.routers, bound.channels, `${bound.reason}, at least ${bound.steps} ${bound.steps === 1 ? "step" : "steps"}: ${bound.explanation}`),
        }) : "")));
    },
  });

  const deadlock = studio.section("deadlock", {
    word: "searching for a cycle",
    wish() {
      // A collective is part of every request, whether it matters or not.
      const problem = { collective: "all-to-all", ...filled(["network", "text"]) };
      if (problem.text) delete problem.network;
      deadlock.run({ kind: "deadlock", problem, faults: studio.faults(), routing: $("deadlock-routing").value, duplex: $("deadlock-duplex").value });
    },
    show(job, data) {
      $("deadlock-title").textContent = data.title;
      $("deadlock-lines").replaceChildren(...data.lines.map((text) => pavane.element("li", { text })));
      $("deadlock-show").hidden = data.is_free;
      $("deadlock-show").onclick = () => studio.highlight([], data.cycle, `a cycle of ${data.cycle.length} ${data.kind}s, each of which waits for the next`);
      const file = (to) => address(`jobs/${job}/download`, { to });
      $("deadlock-drawing").hidden = !data.is_drawn;
      if (data.is_drawn) $("deadlock-picture").src = file("svg");
      $("deadlock-dot").href = file("dot");
      $("deadlock-csv").href = file("csv");
    },
  });

  studio.onchoices.push((choices) => {
    studio.named("deadlock-routing", choices.deadlock_routings, "deadlock-free");
  });

  // Other networks have other routers and channels.
  for (const one of [bounds, deadlock]) {
    studio.onproblem.push(() => one.hide());
    studio.onfaults.push(() => one.hide());
  }
})();

// The throughput section of the studio: the limit and a plan with pictures, and its repair after parts are removed.
"use strict";
(() => {
  const { $, address, asked, filled, remember, RATE_FIELDS } = studio;
  const LARGEST_FILE = 1.5e6;

  let plan = null;          // the plan that repairs start from: { job, faults }
  let shown = null;         // the job of the plan on display

  const rate = studio.section("rate", { word: "computing", wish: fresh, show });

  function show(job, data) {
    shown = job;
    $("rate-title").textContent = data.title;
    studio.lines($("rate-lines"), data.lines);
    $("rate-plan").href = address(`jobs/${job}/download`, { to: "json" });
    $("rate-phases").hidden = data.phases < 2;
    if (data.phases < 2) $("rate-phase").value = "";
    $("rate-message").placeholder = data.has_pairs ? "all, or 0,5" : "all, or 3";
    picture();
  }

  /** Shows the loads of channels, or the routes of the chosen message. */
  async function picture() {
    const wishes = { to: "svg", message: $("rate-message").value.trim(), phase: $("rate-phase").value };
    const url = address(`jobs/${shown}/download`, wishes);
    const status = $("rate-picture-status");
    const response = await fetch(url);
    const text = await response.text();
    if (!response.ok) {
      status.className = "status bad";
      status.textContent = JSON.parse(text).message;
      $("rate-picture").hidden = true;
      return;
    }
    status.className = "status";
    status.textContent = "";
    $("rate-picture").src = "data:image/svg+xml," + encodeURIComponent(text);
    $("rate-picture").dataset.shown = wishes.message;
    $("rate-picture").hidden = false;
    $("rate-svg").href = url;
  }

  async function fresh() {
    const faults = studio.faults();
    plan = null;
    remember();
    const job = await rate.run({ kind: "throughput", problem: asked(), faults, ...filled(RATE_FIELDS) });
    if (job !== null) plan = { job, faults };
  }

  $("rate-shown").addEventListener("submit", (event) => { event.preventDefault(); if (shown !== null) picture(); });
  $("rate-phase").addEventListener("change", () => { if (shown !== null) picture(); });

  $("sizes-file").addEventListener("change", async () => {
    const file = $("sizes-file").files[0];
    if (!file) return;
    if (file.size > LARGEST_FILE) { rate.tell(`${file.name} has ${file.size} bytes; the studio accepts at most ${LARGEST_FILE}`, "bad"); return; }
    $("sizes").value = await file.text();
  });

  // Removed parts: repairs the plan. If a part that was missing from the start is back, the plan is computed anew.
  studio.onfaults.push(async () => {
    if (plan === null) return;
    const { job, faults } = plan;
    const now = studio.faults();
    if (!faults.every((fault) => now.includes(fault))) { fresh(); return; }
    const more = now.filter((fault) => !faults.includes(fault));
    if (more.length) { await rate.run({ kind: "repair", of: job, faults: more, ...studio.keep() }, "repairing the plan"); return; }
    try { await rate.again(job); } catch (error) { rate.tell(error.message, "bad"); }
  });

  // Another problem: the plan on display belongs to the old one.
  studio.onproblem.push(() => { rate.drop(); plan = null; });
})();

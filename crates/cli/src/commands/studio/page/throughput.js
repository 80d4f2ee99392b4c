// The throughput section of the studio: the limit and a plan with pictures, its repair after parts are removed,
// and what the loss of each part costs.
"use strict";
(() => {
  const { $, address, call, follow, describe, asked, filled, remember, RATE_FIELDS } = studio;
  const LARGEST_FILE = 1.5e6;

  let rate = null;          // the running job
  let turn = 0;             // number of the last request; results of earlier ones are ignored
  let plan = null;          // the plan that repairs start from: { job, faults }
  let shown = null;         // the job of the plan on display

  function tell(text, kind = "") {
    $("rate-status").textContent = text;
    $("rate-status").className = "status " + kind;
    $("rate").textContent = kind === "busy" ? "Stop" : "Throughput";
  }

  /** Runs a job and shows its plan; returns whether that succeeded. */
  async function compute(request, word) {
    const mine = ++turn;
    if (rate) rate.cancel();
    tell(word, "busy");
    try {
      rate = follow(request, (news) => { if (mine === turn && news.state !== "failed") tell(news.state === "queued" ? describe(news) : word, "busy"); });
      const job = await rate.done;
      const data = await call(`jobs/${job}/data`);
      if (mine !== turn) return null;
      show(job, data);
      tell("verified");
      return job;
    } catch (error) {
      if (mine !== turn) return null;
      $("rate-result").hidden = true;
      shown = null;
      if (error.message === "cancelled") tell("stopped");
      else tell(error.message, "bad");
      return null;
    } finally {
      if (mine === turn) rate = null;
    }
  }

  function show(job, data) {
    shown = job;
    $("rate-title").textContent = data.title;
    $("rate-lines").replaceChildren(...data.lines.flatMap(([name, text]) => [pavane.element("dt", { text: name }), pavane.element("dd", { text })]));
    $("rate-plan").href = address(`jobs/${job}/download`, { to: "json" });
    $("rate-phases").hidden = data.phases < 2;
    if (data.phases < 2) $("rate-phase").value = "";
    $("rate-message").placeholder = data.has_pairs ? "all, or 0,5" : "all, or 3";
    $("rate-result").hidden = false;
    $("rate-result").dataset.job = String(job);
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
    const job = await compute({ kind: "throughput", problem: asked(), faults, ...filled(RATE_FIELDS) }, "computing");
    if (job !== null) plan = { job, faults };
  }

  $("rate-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (rate) { turn++; rate.cancel(); rate = null; tell("stopped"); return; }
    fresh();
  });

  $("rate-shown").addEventListener("submit", (event) => { event.preventDefault(); if (shown !== null) picture(); });
  $("rate-phase").addEventListener("change", () => { if (shown !== null) picture(); });

  $("sizes-file").addEventListener("change", async () => {
    const file = $("sizes-file").files[0];
    if (!file) return;
    if (file.size > LARGEST_FILE) { tell(`${file.name} has ${file.size} bytes; the studio accepts at most ${LARGEST_FILE}`, "bad"); return; }
    $("sizes").value = await file.text();
  });

  // Removed parts: repairs the plan. If a part that was missing from the start is back, the plan is computed anew.
  studio.onfaults = async () => {
    if (plan === null) return;
    const { job, faults } = plan;
    const now = studio.faults();
    if (!faults.every((fault) => now.includes(fault))) return fresh();
    const more = now.filter((fault) => !faults.includes(fault));
    if (more.length) {
      const keep = $("keep").value.trim();
      await compute({ kind: "repair", of: job, faults: more, ...(keep && { keep: Number(keep) }) }, "repairing the plan");
      return;
    }
    const mine = ++turn;
    if (rate) rate.cancel();
    rate = null;
    try {
      const data = await call(`jobs/${job}/data`);
      if (mine === turn) { show(job, data); tell("verified"); }
    } catch (error) {
      if (mine === turn) tell(error.message, "bad");
    }
  };

  // Another problem: the plan on display belongs to the old one.
  studio.onproblem = () => {
    turn++;
    if (rate) { rate.cancel(); rate = null; tell("stopped"); }
    plan = null;
  };

  // ---- what the loss of each part costs
  let heat = null;
  $("heat-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (heat) { heat.cancel(); return; }
    const status = $("heat-status");
    $("heat-result").hidden = true;
    $("heat").textContent = "Stop";
    status.className = "status busy";
    status.textContent = "computing";
    try {
      const bandwidth = filled(["bandwidth"]);
      heat = follow({ kind: "fault-limits", problem: asked(), faults: studio.faults(), of: $("heat-of").value, count: Number($("heat-count").value || 1), ...bandwidth }, (news) => {
        status.textContent = news.state === "queued" ? describe(news) : "computing";
      });
      const job = await heat.done;
      const data = await call(`jobs/${job}/data`);
      $("heat-title").textContent = data.title;
      const picture = await (await fetch(address(`jobs/${job}/download`, { to: "svg" }))).text();
      $("heat-picture").src = "data:image/svg+xml," + encodeURIComponent(picture);
      $("heat-svg").href = address(`jobs/${job}/download`, { to: "svg" });
      $("heat-csv").href = address(`jobs/${job}/download`, { to: "csv" });
      document.querySelector("#heat-rows tbody").replaceChildren(...data.rows.map(line));
      $("heat-result").hidden = false;
      status.className = "status";
      status.textContent = "";
    } catch (error) {
      status.className = error.message === "cancelled" ? "status" : "status bad";
      status.textContent = error.message === "cancelled" ? "stopped" : error.message;
    }
    heat = null;
    $("heat").textContent = "Cost of faults";
  });

  function line(row) {
    const cell = (text) => pavane.element("td", { text });
    const number = (value) => (value === null ? "–" : value.toFixed(2));
    const percent = row.cost_percent === null ? "–" : `${row.cost_percent.toFixed(1)} %`;
    return pavane.element("tr", {}, cell(row.fault), cell(String(row.count)), cell(number(row.algorithm_gbytes)), cell(number(row.cost_gbytes)), cell(percent), cell(row.note));
  }
})();

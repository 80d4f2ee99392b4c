// The studio: keeps the request in the address, requests schedules, shows the progress of the search, and
// removes and restores links and routers on a click.
"use strict";
const studio = { onfaults() {}, onproblem() {} };
(() => {
  const FIELDS = ["network", "text", "collective", "chunks", "ports", "switching", "routing", "duplex", "root", "senders", "receivers"];
  const RATE_FIELDS = ["bytes", "bandwidth", "latency", "trees", "sizes"];
  const USUAL = { network: "mesh:4x4", collective: "aas", chunks: "1", ports: "all", switching: "wormhole", routing: "minimal", duplex: "full" };
  const LONGEST_LINK = 12000;
  const token = new URLSearchParams(location.search).get("token") || "";
  const $ = (id) => document.getElementById(id);
  const address = (path, query = {}) => `api/${path}?${new URLSearchParams({ token, ...query })}`;

  let player = null;        // the schedule on display
  let otherPlayer = null;   // the schedule for comparison
  let base = null;          // the job of the schedule without faults
  let shown = null;         // the job of the schedule on display
  let faults = [];          // r5, r1-r2
  let other = "";           // the address of the schedule for comparison
  let running = null;       // { job, source }
  let turn = 0;             // number of the last request; results of earlier ones are ignored

  // ---- requests to the server
  async function call(path, body) {
    const response = await fetch(address(path), body === undefined ? {} : { method: "POST", body: JSON.stringify(body) });
    const text = await response.text();
    let value = null;
    try { value = JSON.parse(text); } catch { value = { message: text }; }
    if (!response.ok) throw new Error(value.message || response.statusText);
    return value;
  }

  /** Starts a job and reports its progress until it ends. */
  function follow(request, onnews) {
    let source = null;
    let job = 0;
    let isCancelled = false;
    let give = () => {};
    const done = (async () => {
      job = (await call("jobs", request)).job;
      if (isCancelled) { call(`jobs/${job}/cancel`, {}).catch(() => {}); throw new Error("cancelled"); }
      return new Promise((resolve, reject) => {
        give = reject;
        source = new EventSource(address(`jobs/${job}/events`));
        source.onmessage = (event) => {
          const news = JSON.parse(event.data);
          onnews(news);
          if (news.state === "done") { source.close(); resolve(job); }
          if (news.state === "failed") { source.close(); reject(new Error(news.message)); }
        };
        source.onerror = () => { source.close(); reject(new Error("the studio does not respond; is it still running?")); };
      });
    })();
    return {
      done,
      cancel() {
        isCancelled = true;
        if (source) source.close();
        if (job) call(`jobs/${job}/cancel`, {}).catch(() => {});
        give(new Error("cancelled"));
      },
    };
  }

  function tell(text, kind = "") {
    $("status").textContent = text;
    $("status").className = "status " + kind;
    $("stop").hidden = kind !== "busy";
  }

  function describe(news) {
    if (news.state === "queued") return news.ahead ? `waiting behind ${news.ahead === 1 ? "1 job" : `${news.ahead} jobs`}` : "waiting";
    const parts = [];
    if (news.bound) parts.push(`bound ${news.bound}`);
    if (news.best) parts.push(`best so far ${news.best}`);
    if (news.trying) parts.push(`trying ${news.trying} steps`);
    return parts.length ? parts.join(", ") : "searching for a first schedule";
  }

  // ---- the address
  function filled(fields) {
    const request = {};
    for (const field of fields) {
      const value = $(field).value.trim();
      if (value) request[field] = value;
    }
    return request;
  }

  function asked() {
    const request = filled(FIELDS);
    if (request.text) delete request.network;
    return request;
  }

  function query() {
    const all = new URLSearchParams(asked());
    if (faults.length) all.set("faults", faults.join(";"));
    return all;
  }

  // Browsers limit how often the address may change, so it is not updated with every step.
  let soon = 0;
  function rememberSoon() {
    clearTimeout(soon);
    soon = setTimeout(remember, 250);
  }

  function remember() {
    const all = query();
    for (const [field, value] of Object.entries(filled(RATE_FIELDS))) all.set(field, value);
    if (other) all.set("with", other);
    if (player && player.step > 0) all.set("step", player.step);
    const hash = "#" + all;
    if (hash.length <= LONGEST_LINK) history.replaceState(null, "", location.pathname + location.search + hash);
  }

  function recall() {
    const all = new URLSearchParams(location.hash.slice(1));
    for (const field of FIELDS) {
      const value = all.get(field) ?? (all.has("text") && field === "network" ? "" : USUAL[field] ?? "");
      const input = $(field);
      if (input.tagName === "SELECT" && value && ![...input.options].some((option) => option.value === value)) {
        input.append(pavane.element("option", { value, text: value }));
      }
      input.value = value;
    }
    if (all.get("text") || all.get("root") || all.get("senders") || all.get("receivers")) $("more").open = true;
    for (const field of RATE_FIELDS) $(field).value = all.get(field) ?? "";
    if (RATE_FIELDS.some((field) => all.get(field))) $("rates").open = true;
    if (all.get("sizes")) $("rate-sizes").open = true;
    faults = (all.get("faults") || "").split(";").filter(Boolean);
    other = all.get("with") || "";
    return Number(all.get("step")) || 0;
  }

  // ---- solving, showing, removing parts
  async function solve(step = 0) {
    const mine = ++turn;
    if (running) running.cancel();
    const kept = faults;
    studio.onproblem();
    tell("sending the request", "busy");
    try {
      const request = { kind: "solve", ...asked() };
      running = follow(request, (news) => { if (mine === turn && news.state !== "failed") tell(describe(news), "busy"); });
      const job = await running.done;
      if (mine !== turn) return;
      base = job;
      if (kept.length) return await mend(kept, step);
      await show(job, step);
    } catch (error) {
      if (mine === turn) failed(error);
    }
  }

  async function mend(wanted, step = player ? player.step : 0) {
    const mine = ++turn;
    if (running) running.cancel();
    const before = performance.now();
    try {
      faults = wanted;
      studio.onfaults();
      if (!wanted.length) return await show(base, step);
      tell("repairing", "busy");
      running = follow({ kind: "repair", of: base, faults: wanted }, (news) => {
        if (mine === turn && news.state !== "failed") tell("repairing: " + describe(news), "busy");
      });
      const job = await running.done;
      if (mine !== turn) return;
      await show(job, step, before);
    } catch (error) {
      if (mine !== turn) return;
      // Undoes a fault without a repair, so that the picture matches the schedule.
      const last = wanted[wanted.length - 1];
      faults = player ? player.faults.slice() : [];
      studio.onfaults();
      failed(error, last ? `fault ${last.replaceAll("r", "")}: ` : "");
    }
  }

  function failed(error, before = "") {
    if (error.message === "cancelled") tell("stopped");
    else tell(before + error.message, "bad");
  }

  async function show(job, step, since) {
    const mine = turn;
    const data = await call(`jobs/${job}/data`);
    if (mine !== turn) return;
    shown = job;
    $("result").hidden = false;
    $("title").textContent = data.title;
    $("facts").replaceChildren(pavane.facts(data));
    $("gain").hidden = !data.summary.chunks;
    $("gain").textContent = data.summary.chunks ? `chunks: ${data.summary.chunks}` : "";
    $("mine").replaceChildren(pavane.element("h2", { text: data.title }), pavane.facts(data));
    $("heal").hidden = faults.length === 0;
    if (player) player.destroy();
    player = pavane.viewer($("player"), data, {
      step, onstep: rememberSoon, onlink: (channel) => toggleLink(data, channel), onrouter: toggleRouter, onheal: heal,
      hint: "Point at a channel or a transfer to follow its message. Click a link or a router to remove it, and again to restore it.",
    });
    player.faults = faults.slice();
    $("player").dataset.job = String(job);
    $("player").dataset.steps = String(data.summary.steps);
    tellMended(data);
    tell(`${data.summary.steps} steps, verified; found by ${data.summary.engine}`);
    if (since !== undefined) $("player").dataset.mended = String(Math.round(performance.now() - since));
    remember();
    await showOther();
  }

  function tellMended(data) {
    const change = data.repair;
    $("mended").hidden = !change;
    if (!change) return;
    const before = change.steps_before;
    const more = data.summary.steps - before;
    $("mended").textContent = `Repaired: ${data.summary.steps} steps, ${more === 0 ? "as many as before" : `${before} before`}. `
      + `${change.kept} of ${change.before} transfers kept, ${change.rerouted} re-routed, ${change.moved} moved`
      + (change.new ? `, ${change.new} new` : "") + (change.dropped ? `, ${change.dropped} dropped` : "")
      + (data.summary.missing ? `; missing: ${data.summary.missing}` : "") + ".";
  }

  const ends = (fault) => fault.split("-").sort().join("-");

  function toggle(fault) {
    if (base === null) return;
    const rest = faults.filter((known) => ends(known) !== ends(fault));
    mend(rest.length < faults.length ? rest : [...faults, fault]);
  }

  function toggleLink(data, channel) {
    const [tail, head] = data.channels[channel];
    toggle(`r${tail}-r${head}`);
  }

  const toggleRouter = (router) => toggle(`r${router}`);
  const heal = (fault) => toggle(fault);

  // ---- comparing
  async function showOther() {
    $("other").hidden = !other;
    $("mine").hidden = !other;
    $("facts").hidden = Boolean(other);
    $("stages").classList.toggle("two", Boolean(other));
    $("compare").textContent = other ? "Stop comparing" : "Compare with next";
    if (!other) { if (otherPlayer) otherPlayer.destroy(); otherPlayer = null; delete $("other").dataset.of; return; }
    if ($("other").dataset.of === other) return;
    $("other").dataset.of = other;
    const all = new URLSearchParams(other);
    const root = pavane.element("div");
    try {
      const request = { kind: "solve" };
      for (const field of FIELDS) if (all.get(field)) request[field] = all.get(field);
      let job = await follow(request, () => {}).done;
      const broken = (all.get("faults") || "").split(";").filter(Boolean);
      if (broken.length) job = await follow({ kind: "repair", of: job, faults: broken }, () => {}).done;
      const data = await call(`jobs/${job}/data`);
      if ($("other").dataset.of !== other) return;
      if (otherPlayer) otherPlayer.destroy();
      $("other").replaceChildren(pavane.element("h2", { text: data.title }), pavane.facts(data), root);
      otherPlayer = pavane.viewer(root, data, { keys: false });
    } catch (error) {
      $("other").replaceChildren(pavane.element("p", { class: "status bad", text: error.message }));
    }
  }

  $("compare").addEventListener("click", () => {
    if (other) other = "";
    else { other = String(query()); tell("now choose the problem to compare with"); }
    remember();
    showOther();
  });

  // ---- the slot table
  let slots = null;
  let slotJob = null;
  let slotPlayer = null;
  $("slot-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (slots) { slots.cancel(); return; }
    const status = $("slot-status");
    $("slot-result").hidden = true;
    $("slots").textContent = "Stop";
    status.className = "status busy";
    status.textContent = "searching";
    try {
      // A collective is part of every request, whether it matters or not.
      const problem = { collective: "all-to-all", ...filled(["network", "text"]) };
      slots = follow({ kind: "tdm", problem, faults, ...filled(["depth", "phits", "wrap", "traffic"]) }, (news) => {
        status.textContent = describe(news);
      });
      slotJob = await slots.done;
      const data = await call(`jobs/${slotJob}/data`);
      $("slot-title").textContent = data.title;
      $("slot-facts").replaceChildren(pavane.facts(data));
      $("slot-picture").src = address(`jobs/${slotJob}/download`, { to: "svg" });
      $("slot-result").hidden = false;
      if (slotPlayer) slotPlayer.destroy();
      slotPlayer = pavane.viewer($("slot-player"), data, { keys: false });
      status.className = "status";
      status.textContent = "verified";
    } catch (error) {
      status.className = error.message === "cancelled" ? "status" : "status bad";
      status.textContent = error.message === "cancelled" ? "stopped" : error.message;
    }
    slots = null;
    $("slots").textContent = "Slot table";
  });

  // ---- tables
  let table = null;
  $("run").addEventListener("click", async () => {
    if (table) { table.cancel(); table = null; return; }
    const body = document.querySelector("#rows tbody");
    body.replaceChildren();
    $("rows").hidden = false;
    $("run").textContent = "Stop";
    const status = $("table-status");
    status.className = "status busy";
    status.textContent = "running";
    try {
      table = follow({ kind: "table", table: $("table").value, runs: Number($("runs").value) }, (news) => {
        news.rows.slice(body.rows.length).forEach((row) => body.append(line(row)));
        status.textContent = news.state === "queued" ? describe(news) : `${news.rows.length} rows`;
      });
      await table.done;
      status.className = "status";
      status.textContent = `${body.rows.length} rows, done`;
    } catch (error) {
      status.className = "status bad";
      status.textContent = error.message;
    }
    table = null;
    $("run").textContent = "Run";
  });

  function line(row) {
    const [network, collective] = row.problem.split(" ");
    const open = pavane.element("button", { type: "button", text: row.problem, title: "show this problem", onclick: () => {
      const words = row.problem.split(" ");
      for (const field of FIELDS) $(field).value = USUAL[field] ?? "";
      $("network").value = network;
      $("collective").value = collective;
      faults = [];
      for (let at = 2; at + 1 < words.length; at += 2) {
        const field = words[at].slice(2);
        if (field === "fault") faults.push(words[at + 1]);
        else if ($(field)) $(field).value = words[at + 1];
      }
      scrollTo({ top: 0, behavior: "smooth" });
      solve();
    } });
    const tried = row.trials.map((t) => `${t.engine} in ${t.steps}: ${t.hits} of ${t.runs}`).join("; ");
    const cell = (text) => pavane.element("td", { text: String(text ?? "–") });
    return pavane.element("tr", {}, pavane.element("td", {}, open), cell(row.paper), cell(row.bound), cell(row.best), cell(tried), cell(row.remarks.join("; ")));
  }

  // ---- the forms
  $("form").addEventListener("submit", (event) => { event.preventDefault(); faults = []; solve(); });
  for (const field of ["collective", "chunks", "ports", "switching", "routing", "duplex"]) {
    $(field).addEventListener("change", () => { faults = []; solve(); });
  }
  $("network").addEventListener("change", () => { if ($("network").value) $("text").value = ""; });
  $("file").addEventListener("change", async () => {
    const file = $("file").files[0];
    if (!file) return;
    if (file.size > 1.5e6) { tell(`${file.name} has ${file.size} bytes; the studio accepts at most 1500000`, "bad"); return; }
    $("text").value = await file.text();
    faults = [];
    solve();
  });
  $("stop").addEventListener("click", () => { turn++; if (running) running.cancel(); tell("stopped"); });
  $("heal").addEventListener("click", () => mend([]));
  function download(choice, job) {
    const format = choice.value;
    choice.value = "";
    if (!format || job === null) return;
    const link = pavane.element("a", { href: address(`jobs/${job}/download`, { to: format }), download: "" });
    document.body.append(link);
    link.click();
    link.remove();
  }
  $("download").addEventListener("change", () => download($("download"), shown));
  $("slot-download").addEventListener("change", () => download($("slot-download"), slotJob));
  $("link").addEventListener("click", async () => {
    remember();
    try { await navigator.clipboard.writeText(location.href); tell("link copied; it works as long as this studio runs"); }
    catch { tell(location.href); }
  });
  window.addEventListener("hashchange", () => solve(recall()));

  // What throughput.js uses; it replaces `onfaults`, which runs after parts are removed or restored, and
  // `onproblem`, which runs after the problem has changed.
  Object.assign(studio, { $, address, call, follow, describe, asked, filled, remember, RATE_FIELDS, faults: () => faults.slice() });

  (async () => {
    try {
      const choices = await call("choices");
      for (const network of choices.networks) $("networks").append(pavane.element("option", { value: network.example, label: `${network.usage}: ${network.about}` }));
      for (const [name, meaning] of choices.collectives) {
        if (!name.includes(":")) $("collective").append(pavane.element("option", { value: name, text: name, title: meaning }));
      }
      for (const [choice, formats] of [["download", choices.formats], ["slot-download", choices.slot_formats]]) {
        $(choice).append(pavane.element("option", { value: "", text: "…" }));
        for (const [name, meaning] of formats) $(choice).append(pavane.element("option", { value: name, text: `${name}: ${meaning}` }));
      }
      for (const [name, paper, count] of choices.tables) $("table").append(pavane.element("option", { value: name, text: `${name}: ${count} problems (${paper})` }));
      await solve(recall());
    } catch (error) {
      failed(error);
    }
  })();
})();

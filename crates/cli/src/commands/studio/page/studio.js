// The studio: keeps the request in the address, requests schedules, shows the progress of the search, and
// removes and restores links and routers on a click.
"use strict";
(() => {
  const { $, call, follow, describe } = studio;
  const FIELDS = ["network", "text", "text_name", "collective", "chunks", "ports", "switching", "routing", "duplex", "root", "senders", "receivers", "engine", "seed"];
  const RATE_FIELDS = ["bytes", "bandwidth", "latency", "trees", "sizes"];
  const SECTION_FIELDS = [...RATE_FIELDS, "keep", "time-bytes", "time-chunks", "time-sizes", "contest-bytes", "tune-bytes", "tune-factor", "front-chunks", "front-steps"];
  const USUAL = { network: "mesh:4x4", collective: "all-to-all", chunks: "1", ports: "all", switching: "wormhole", routing: "minimal", duplex: "full" };
  const LONGEST_LINK = 12000;
  const MOST_PARTS = 3000;  // listed by name; others can be written

  let player = null;        // the schedule on display
  let otherPlayer = null;   // the schedule for comparison
  let base = null;          // the job of the schedule without faults
  let shown = null;         // the job of the schedule on display
  let faults = [];          // r5, r1-r2
  let other = "";           // the address of the schedule for comparison
  let undescribed = "";     // the file on display if the form cannot describe its problem
  let running = null;       // { job, source }
  let turn = 0;             // number of the last request; results of earlier ones are ignored

  let refusal = "";         // why the last file was not opened, beside the progress of a search

  function tell(text, kind = "") {
    const status = $("status");
    if (kind !== "busy") refusal = "";
    status.textContent = refusal ? `${refusal}\n${text}` : text;
    status.className = "status " + kind;
    // The keyboard can scroll a message that is too long.
    if (status.scrollHeight > status.clientHeight) status.tabIndex = 0;
    else status.removeAttribute("tabindex");
    // Stop takes the place of Find, and its focus.
    const isBusy = kind === "busy";
    const [from, to] = isBusy ? [$("find"), $("stop")] : [$("stop"), $("find")];
    const isFocused = document.activeElement === from;
    $("stop").hidden = !isBusy;
    $("find").classList.toggle("away", isBusy);
    if (isFocused) to.focus();
  }

  /** Tells why a file is not opened. A running search goes on. */
  function refuse(text) {
    if ($("stop").hidden) { tell(text, "bad"); return; }
    const doing = $("status").textContent.split("\n").pop();
    refusal = text;
    tell(doing, "busy");
  }

  /** Takes back the error of an earlier file. */
  function forget() {
    const status = $("status");
    if (refusal) { refusal = ""; status.textContent = status.textContent.split("\n").pop(); }
    if (status.classList.contains("bad")) tell("");
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
    else delete request.text_name;
    return request;
  }

  /** The network with bandwidths and latencies, and the collective. */
  function machine() {
    const problem = asked();
    delete problem.chunks;
    return { problem, faults: faults.slice(), ...filled(["bandwidth", "latency"]) };
  }

  /** How much a repair must keep. */
  function keep() {
    const percent = $("keep").value.trim();
    return percent ? { keep: percent } : {};
  }

  function query() {
    const all = new URLSearchParams(asked());
    if (faults.length) all.set("faults", faults.join(";"));
    return all;
  }

  // Browsers limit how often the address may change, so it is not updated with every step.
  let soon = 0;
  let entered = "";         // the problem of the entry in the history
  function rememberSoon() {
    clearTimeout(soon);
    soon = setTimeout(remember, 250);
  }

  /** Stores the state in the address. A new problem gets an entry of its own in the history, so that Back returns. */
  function remember(isNew = false) {
    clearTimeout(soon);
    const all = query();
    for (const [field, value] of Object.entries(filled(SECTION_FIELDS))) all.set(field, value);
    if (other) all.set("with", other);
    if ($("keep-steps").checked) all.set("keep-steps", "yes");
    if (player && player.step > 0) all.set("step", player.step);
    const hash = "#" + all;
    if (hash.length > LONGEST_LINK) return;
    const place = location.pathname + location.search + hash;
    if (isNew === true && entered && String(query()) !== entered) history.pushState(null, "", place);
    else history.replaceState(null, "", place);
    entered = String(query());
  }

  /** Sets a field; a choice gets an option for a value that it does not list. */
  function choose(input, value) {
    if (input.tagName === "SELECT" && value && ![...input.options].some((option) => option.value === value)) {
      input.append(pavane.element("option", { value, text: value }));
    }
    input.value = value;
  }

  /** Fills the form: with the state in the address, or with the fields of an opened file. */
  function recall(all = new URLSearchParams(location.hash.slice(1))) {
    for (const field of FIELDS) {
      const value = all.get(field) ?? (all.has("text") && field === "network" ? "" : USUAL[field] ?? "");
      choose($(field), value);
    }
    if (["text", "root", "senders", "receivers", "engine", "seed"].some((field) => all.get(field))) $("more").open = true;
    for (const field of SECTION_FIELDS) {
      $(field).value = all.get(field) ?? "";
      // Opens the sections around a field with a value.
      for (let at = all.get(field) ? $(field).closest("details") : null; at; at = at.parentElement.closest("details")) at.open = true;
    }
    $("keep-steps").checked = all.has("keep-steps");
    faults = (all.get("faults") || "").split(";").filter(Boolean);
    other = all.get("with") || "";
    entered = String(query());
    return Number(all.get("step")) || 0;
  }

  // ---- solving, showing, removing parts
  /** Shows the network during a search if there is no schedule yet. */
  async function preview(mine) {
    if (player) return;
    const { network = "", text = "", text_name = "" } = asked();
    const drawn = await call("network/picture", { network, text, text_name }).catch(() => null);
    if (!drawn || mine !== turn || player) return;
    $("preview").src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(drawn.svg);
    $("preview").alt = `the network ${drawn.name}`;
    $("preview").hidden = false;
  }

  /** Finds a schedule; `isAsked`: on request, so that the result is scrolled into view. */
  async function solve(step = 0, isAsked = false) {
    undescribed = "";
    if ($("collective").value === "multicast" && !$("receivers").value.trim()) {
      $("more").open = true;
      $("receivers").focus();
      tell("multicast: write the receivers, such as 3,5-7");
      return;
    }
    const mine = ++turn;
    if (running) running.cancel();
    const kept = faults;
    for (const changed of studio.onproblem) changed();
    tell("sending the request", "busy");
    preview(mine);
    try {
      const request = { kind: "solve", ...asked() };
      running = follow(request, (news) => { if (mine === turn && news.state !== "failed") tell(describe(news), "busy"); });
      const job = await running.done;
      if (mine !== turn) return;
      base = job;
      if (kept.length) return await mend(kept, step);
      await show(job, step);
      if (isAsked && mine === turn) showResult();
    } catch (error) {
      if (mine !== turn) return;
      failed(error);
      // The button of the editor may be far below.
      if (isAsked) $("status").scrollIntoView({ block: "nearest" });
    }
  }

  /** Shows the schedule of a file; the form then describes its problem. */
  async function openSchedule(request) {
    const before = turn;
    const isIdle = $("stop").hidden;
    if (isIdle) tell(`reading ${request.name}`, "busy");
    let job, summary;
    try {
      job = await follow(request, () => {}).done;
      ({ summary } = await call(`jobs/${job}/data`));
    } catch (error) {
      if (before !== turn) return;
      // Nothing but the file was read.
      if (isIdle) tell(error.message, "bad");
      else refuse(error.message);
      return;
    }
    if (before !== turn) return;
    const mine = ++turn;
    if (running) running.cancel();
    try {
      base = job;
      faults = [];
      for (const changed of studio.onproblem) changed();
      undescribed = Object.keys(summary.form).length ? "" : request.name;
      if (!undescribed) recall(new URLSearchParams({ ...filled(SECTION_FIELDS), ...(other ? { with: other } : {}), ...summary.form }));
      for (const changed of studio.onfaults) changed();
      await show(job, 0);
      if (mine === turn) showResult();
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
      for (const changed of studio.onfaults) changed();
      if (!wanted.length) return await show(base, step);
      tell("repairing", "busy");
      running = follow({ kind: "repair", of: base, faults: wanted, ...keep(), keep_steps: $("keep-steps").checked }, (news) => {
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
      for (const changed of studio.onfaults) changed();
      failed(error, last ? `fault ${faultName(last)}: ` : "");
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
    $("preview").hidden = true;
    $("result").hidden = false;
    $("title").textContent = data.title;
    $("facts").replaceChildren(pavane.facts(data));
    $("gain").hidden = !data.summary.chunks;
    $("gain").textContent = data.summary.chunks ? `chunks: ${data.summary.chunks}` : "";
    $("mine").replaceChildren(pavane.element("h2", { text: data.title }), pavane.facts(data));
    $("heal").disabled = faults.length === 0;
    if (player) player.destroy();
    player = pavane.viewer($("player"), data, {
      step, ...leading(() => otherPlayer), ...breaking(data),
    });
    player.faults = faults.slice();
    $("player").dataset.job = String(job);
    delete $("player").dataset.marked;
    $("player").dataset.steps = String(data.summary.steps);
    list(data);
    tellMended(data);
    tell(`${data.summary.steps} step${data.summary.steps === 1 ? "" : "s"}, verified; ${data.summary.file ? `read from ${data.summary.file}` : `found by ${data.summary.engine}`}`);
    if (since !== undefined) $("player").dataset.mended = String(Math.round(performance.now() - since));
    remember(true);
    await showOther();
  }

  /** Scrolls to the result unless its picture and timeline are visible. */
  function showResult() {
    const last = $("player").querySelector(".timeline").getBoundingClientRect();
    if (last.bottom > innerHeight || $("title").getBoundingClientRect().top < 0) $("result").scrollIntoView({ block: "start" });
  }

  /** Both schedules are at the same step, and only one of them plays: the other follows it. */
  let isFollowing = false;
  const leading = (follower) => ({
    onstep(step) {
      rememberSoon();
      if (isFollowing || !follower()) return;
      isFollowing = true;
      follower().show(step);
      isFollowing = false;
    },
    onglide: (length) => { if (follower()) follower().glide(length); },
    onplay: () => { if (follower()) follower().pause(); },
  });

  function tellMended(data) {
    const change = data.repair;
    $("mended").hidden = !change;
    if (!change) return;
    const before = change.steps_before;
    const more = data.summary.steps - before;
    $("mended").textContent = `Repaired: ${data.summary.steps} step${data.summary.steps === 1 ? "" : "s"}, ${more === 0 ? "as many as before" : `${before} before`}. `
      + `${change.kept} of ${change.before} transfers kept, ${change.rerouted} re-routed, ${change.moved} moved`
      + (change.new ? `, ${change.new} new` : "") + (change.dropped ? `, ${change.dropped} dropped` : "")
      + (data.summary.missing ? `; missing: ${data.summary.missing}` : "") + ".";
  }

  /** A fault without the order of the ends of a link; a channel, `r0:r1`, has a direction. */
  const key = (fault) => (fault.includes(":") ? fault : fault.split("-").sort().join("-"));
  const ends = (fault) => fault.split(/[-:]/).sort().join("-");

  function toggle(fault) {
    if (base === null) return;
    const rest = faults.filter((known) => key(known) !== key(fault));
    mend(rest.length < faults.length ? rest : [...faults, fault]);
  }

  // ---- parts by name, for the keyboard
  let parts = new Map();    // links and routers by name
  let routerNames = [];
  let examples = "";        // a link and a router of the network on display

  /** A fault with the names of the picture: 0,0–0,1. */
  const faultName = (fault) => fault.split(/[-:]/).map((router) => (/^r\d+$/.test(router) && routerNames[Number(router.slice(1))]) || router).join(fault.includes(":") ? "→" : "–");

  /** Lists the parts of the network on display. */
  function list(data) {
    routerNames = data.routers.map((router) => router[3]);
    const name = (router) => routerNames[router];
    parts = new Map(data.routers.map((_, router) => [`router ${name(router)}`, `r${router}`]));
    for (const [tail, head] of data.channels) {
      if (!parts.has(`${name(head)} – ${name(tail)}`)) parts.set(`${name(tail)} – ${name(head)}`, `r${tail}-r${head}`);
    }
    for (const [, fault] of data.broken) parts.set(fault.split("-").map((router) => name(Number(router.slice(1)))).join(" – "), fault);
    const link = data.channels.length ? data.channels[0].slice(0, 2).map(name).join(" – ") : "";
    const router = routerNames[routerNames.length - 1];
    $("break").placeholder = link || router;
    examples = (link ? `${link} for a link or ` : "") + `${router} for a router`;
    $("parts").replaceChildren(...[...parts.keys()].slice(0, MOST_PARTS).map((value) => pavane.element("option", { value })));
  }

  /** A part as `--fault` takes it, such as 0-1 or 0,0→0,1; null if there is none. */
  async function parsed(text) {
    if (undescribed) return null;
    const { network = "", text: file = "", text_name = "" } = asked();
    return call("network/fault", { network, text: file, text_name, fault: text }).then(({ fault }) => fault, () => null);
  }

  $("break-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const plain = (text) => text.toLowerCase().replace(/[\s–-]+/g, "-").trim();
    const wanted = plain($("break").value);
    const turned = wanted.split("-").reverse().join("-");
    const isMeant = (known) => plain(known) === wanted || plain(known) === turned;
    const found = [...parts].find(([text, fault]) => [text, text.replace(/^router /, ""), fault].some(isMeant));
    if (!wanted) return;
    const fault = found ? found[1] : await parsed($("break").value.trim());
    if (!fault) { tell(`the network has no link or router ${$("break").value.trim()}; write ${examples}`, "bad"); return; }
    $("break").value = "";
    toggle(fault);
  });

  /** What a click on a picture of the network does. */
  const breaking = (data) => ({
    onlink: (channel) => toggle(`r${data.channels[channel][0]}-r${data.channels[channel][1]}`),
    onrouter: (router) => toggle(`r${router}`),
    onheal: (fault) => mend(faults.filter((known) => ends(known) !== ends(fault))),
    hint: "Point at a channel or a transfer to follow its message. Click a link or a router to remove it, and again to restore it.",
  });

  // Another wish repairs again.
  for (const id of ["keep", "keep-steps"]) $(id).addEventListener("change", () => { if (faults.length) mend(faults.slice()); });

  // ---- comparing
  async function showOther() {
    $("other").hidden = !other;
    $("mine").hidden = !other;
    $("facts").hidden = Boolean(other);
    $("stages").classList.toggle("two", Boolean(other));
    $("compare").textContent = other ? "Stop comparing" : "Compare with next";
    if (!other) { if (otherPlayer) otherPlayer.destroy(); otherPlayer = null; delete $("other").dataset.of; return; }
    if ($("other").dataset.of === other) { fitBoth(); return; }
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
      otherPlayer = pavane.viewer(root, data, { keys: false, step: player ? player.step : 0, ...leading(() => player) });
      fitBoth();
    } catch (error) {
      $("other").replaceChildren(pavane.element("p", { class: "status bad", text: error.message }));
    }
  }

  /** Pictures side by side have the same height, and their timelines are visible. */
  const fitBoth = () => { if (other && matchMedia("(min-width: 761px)").matches) pavane.fit([$("player"), $("other")], 240); };
  window.addEventListener("resize", fitBoth);

  $("compare").addEventListener("click", () => {
    if (other) other = "";
    else { other = String(query()); tell("now choose the problem to compare with"); }
    remember();
    showOther();
  });

  // ---- the forms
  /** Lets a choice take other values as text: its option `other` shows a field. */
  function extend(id, example, title, known = []) {
    const choice = $(id);
    let last = choice.value;
    const values = pavane.element("datalist", { id: `${id}-values` }, ...known.map((value) => pavane.element("option", { value })));
    const field = pavane.element("input", { id: `${id}-other`, list: values.id, size: 14, hidden: true, spellcheck: "false", placeholder: example, title, "aria-label": title });
    choice.append(pavane.element("option", { value: "other", text: "other…", title }));
    choice.after(field, values);
    choice.addEventListener("change", (event) => {
      const isOther = choice.value === "other";
      field.hidden = !isOther;
      if (!isOther) { last = choice.value; return; }
      event.stopImmediatePropagation();
      choose(choice, last);
      field.value = "";
      field.focus();
    }, { capture: true });
    choice.addEventListener("focus", () => { last = choice.value; });
    const take = () => {
      const value = field.value.trim();
      if (field.hidden || !value) return;
      field.hidden = true;
      choose(choice, value);
      choice.dispatchEvent(new Event("change", { bubbles: true }));
    };
    field.addEventListener("change", take);
    field.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); take(); } });
  }
  extend("ports", "8", "number of ports");
  extend("routing", "+3", "routing, such as +3 for detours of at most 3 hops");

  $("form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (undescribed) {
      tell(`the form cannot describe the problem of ${undescribed}, so there is nothing to find; choose a network and a collective`, "bad");
      return;
    }
    faults = [];
    solve(0, true);
  });
  $("form").addEventListener("input", () => { undescribed = ""; });
  for (const field of ["collective", "chunks", "ports", "switching", "routing", "duplex", "engine"]) {
    $(field).addEventListener("change", () => { faults = []; solve(0, true); });
  }
  $("network").addEventListener("change", () => { if ($("network").value) $("text").value = $("text_name").value = ""; });
  // A text that is changed is no longer that of the file.
  $("text").addEventListener("input", () => { $("text_name").value = ""; });
  /** Finds a schedule on the network of a file. A file that the studio cannot open changes nothing. */
  async function openNetwork(name, text) {
    try {
      await call("network/size", { text, text_name: name });
    } catch (error) {
      refuse(error.message.includes(name) ? error.message : `${name}: ${error.message}`);
      return;
    }
    $("text").value = text;
    $("text_name").value = name;
    $("more").open = true;
    faults = [];
    solve(0, true);
  }
  // Keeps the best schedule so far; without one, the search is over.
  $("stop").addEventListener("click", () => { if (running) running.stop(); tell("stopping", "busy"); });
  $("heal").addEventListener("click", () => mend([]));
  $("link").addEventListener("click", async () => {
    remember();
    try { await navigator.clipboard.writeText(location.href); tell("link copied; it works as long as this studio runs"); }
    catch { tell(location.href); }
  });
  window.addEventListener("hashchange", () => solve(recall()));

  /** Marks routers and channels in the picture. */
  function highlight(routers, channels, text) {
    if (!player) return;
    player.highlight(routers, channels, text);
    $("player").dataset.marked = `${routers.length} routers, ${channels.length} channels`;
    $("player").scrollIntoView({ block: "nearest" });
  }

  // What the other scripts use. They add to `onchoices`, which runs when the options of the forms are known.
  Object.assign(studio, { tell, refuse, forget, openNetwork, openers: { "pavane/schedule/1": openSchedule }, asked, filled, machine, keep, remember, breaking, highlight, RATE_FIELDS, faults: () => faults.slice(), onchoices: [] });

  /** Shows a problem in words, as a table of the papers has it. */
  studio.open = (text) => {
    const words = text.split(" ");
    for (const field of FIELDS) $(field).value = USUAL[field] ?? "";
    [$("network").value, $("collective").value] = words;
    faults = [];
    for (let at = 2; at + 1 < words.length; at += 2) {
      const field = words[at].slice(2);
      if (field === "fault") faults.push(words[at + 1]);
      else if ($(field)) $(field).value = words[at + 1];
    }
    scrollTo({ top: 0, behavior: "smooth" });
    solve();
  };

  // After all scripts have run.
  window.addEventListener("DOMContentLoaded", async () => {
    try {
      const choices = await call("choices");
      for (const network of choices.networks) $("networks").append(pavane.element("option", { value: network.example, label: `${network.usage}: ${network.about}` }));
      const papers = pavane.element("optgroup", { label: "names in the papers" });
      for (const [name, meaning, today] of choices.collectives) {
        if (name.includes(":")) continue;
        if (today === name) $("collective").append(pavane.element("option", { value: name, text: name, title: meaning }));
        else papers.append(pavane.element("option", { value: name, text: `${name}: ${meaning}` }));
      }
      $("collective").append(papers);
      extend("collective", "shift:1", 'permutation, such as shift:1 or permutation:3,0,1,2, or messages: [{"from": 0, "to": [2, 3]}]', choices.collectives.map(([name]) => name).filter((name) => name.includes(":")));
      for (const [value, purpose] of choices.engines) $("engine").append(pavane.element("option", { value, text: `${value}: ${purpose}` }));
      studio.downloads("download", choices.formats, () => shown, tell);
      for (const known of studio.onchoices) known(choices);
      await solve(recall());
    } catch (error) {
      failed(error);
    }
  });
})();

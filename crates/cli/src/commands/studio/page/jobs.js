// Jobs of the studio: requests to the server, their progress, and forms that run one job at a time.
"use strict";
const studio = (() => {
  const token = new URLSearchParams(location.search).get("token") || "";
  const $ = (id) => document.getElementById(id);
  const address = (path, query = {}) => `api/${path}?${new URLSearchParams({ token, ...query })}`;

  async function call(path, body, query = {}) {
    const response = await fetch(address(path, query), body === undefined ? {} : { method: "POST", body: JSON.stringify(body) });
    const text = await response.text();
    let value = null;
    try { value = JSON.parse(text); } catch { value = { message: text }; }
    if (!response.ok) throw new Error(value.message || response.statusText);
    return value;
  }

  /** Starts a job and reports its progress until it ends. `stop` keeps what was found, `cancel` drops it. */
  function follow(request, onnews) {
    let source = null;
    let job = 0;
    let wanted = "";          // what to do as soon as the job has a number: stop or cancel
    let give = () => {};
    const end = (how) => call(`jobs/${job}/${how}`, {}).catch(() => {});
    const done = (async () => {
      job = (await call("jobs", request)).job;
      if (wanted) end(wanted);
      if (wanted === "cancel") throw new Error("cancelled");
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
      stop() { wanted = "stop"; if (job) end("stop"); },
      cancel() {
        wanted = "cancel";
        if (source) source.close();
        if (job) end("cancel");
        give(new Error("cancelled"));
      },
    };
  }

  /** The progress of a job in words. */
  function describe(news, word = "searching for a first schedule") {
    if (news.state === "queued") return news.ahead ? `waiting behind ${news.ahead === 1 ? "1 job" : `${news.ahead} jobs`}` : "waiting";
    if (news.doing) return news.doing;
    const parts = [];
    if (news.bound) parts.push(`bound ${news.bound}`);
    if (news.best) parts.push(`best so far ${news.best}`);
    if (news.trying) parts.push(`trying ${news.trying} steps`);
    return parts.length ? parts.join(", ") : word;
  }

  /**
   * A section `name` with a form `name-form`, a button `name-find`, a status line and a result. The button
   * becomes Stop while its job runs. `wish()` makes the request, `show(job, data)` shows the result.
   */
  function section(name, { word, wish, show }) {
    const button = $(`${name}-find`);
    const label = button.textContent;
    let running = null;
    let turn = 0;             // number of the last request; results of earlier ones are ignored

    function tell(text, kind = "") {
      $(`${name}-status`).textContent = text;
      $(`${name}-status`).className = "status " + kind;
      button.textContent = kind === "busy" ? "Stop" : label;
    }

    /** Runs a job and shows its result; returns its number, or null. */
    async function run(request, doing = word) {
      const mine = ++turn;
      if (running) running.cancel();
      tell(doing, "busy");
      try {
        running = follow(request, (news) => { if (mine === turn && news.state !== "failed") tell(describe(news, doing), "busy"); });
        const job = await running.done;
        const data = await call(`jobs/${job}/data`);
        if (mine !== turn) return null;
        await display(job, data);
        return job;
      } catch (error) {
        if (mine === turn) {
          $(`${name}-result`).hidden = true;
          tell(error.message === "cancelled" ? "stopped" : error.message, error.message === "cancelled" ? "" : "bad");
        }
        return null;
      } finally {
        if (mine === turn) running = null;
      }
    }

    async function display(job, data) {
      $(`${name}-result`).hidden = false;
      await show(job, data);
      $(`${name}-result`).dataset.job = String(job);
      tell("verified");
    }

    /** Drops the running job: its problem has changed. */
    function drop() {
      turn++;
      if (running) { running.cancel(); running = null; tell("stopped"); }
    }

    /** As `drop`, and hides the result, which would be wrong. */
    function hide() {
      drop();
      $(`${name}-result`).hidden = true;
      tell("");
    }

    $(`${name}-form`).addEventListener("submit", (event) => {
      event.preventDefault();
      if (running) running.stop();
      else wish();
    });
    /** Shows the result of an earlier job again. */
    async function again(job) {
      const mine = ++turn;
      const data = await call(`jobs/${job}/data`);
      if (mine === turn) await display(job, data);
    }
    /** Shows the schedule of a file; `begin` runs before. A running job ends only if the file can be opened. */
    async function read(request, begin = () => {}) {
      if (!running) { begin(); await run(request, `reading ${request.name}`); return; }
      const before = turn;
      try {
        const job = await follow(request, () => {}).done;
        if (before !== turn) return;
        begin();
        drop();
        await again(job);
      } catch (error) {
        studio.refuse(error.message);
      }
    }
    return { run, drop, hide, tell, again, read };
  }

  /** Shows the parts of an answer, each with its name. */
  function lines(list, parts) {
    list.replaceChildren(...parts.flatMap(([name, text]) => [pavane.element("dt", { text: name }), pavane.element("dd", { text })]));
  }

  /** A row of a table; a cell is a text or an element. */
  function row(...cells) {
    return pavane.element("tr", {}, ...cells.map((cell) => (typeof cell === "string" ? pavane.element("td", { text: cell }) : pavane.element("td", {}, cell))));
  }

  /** A link that downloads a file of a job. */
  const link = (job, query, text) => pavane.element("a", { href: address(`jobs/${job}/download`, query), download: "", text });

  /** Saves a file under the name that the studio gives it. Throws an error if there is no such file. */
  async function save(url) {
    const response = await fetch(url).catch(() => { throw new Error("the studio does not respond; is it still running?"); });
    if (!response.ok) throw new Error((await response.json().catch(() => ({}))).message || response.statusText);
    const name = (/filename="?([^";]+)/.exec(response.headers.get("content-disposition") || "") || [])[1];
    const href = URL.createObjectURL(await response.blob());
    const made = pavane.element("a", { href, download: name || "" });
    document.body.append(made);
    made.click();
    made.remove();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  }

  /**
   * Fills a choice of downloads, which starts one when chosen. `job()` is the job on display; `tell(text, kind)` shows
   * errors, such as that an animation is too large for GIF.
   */
  function downloads(id, formats, job, tell) {
    const choice = $(id);
    choice.append(pavane.element("option", { value: "", text: "…" }));
    for (const [name, meaning] of formats) choice.append(pavane.element("option", { value: name, text: `${name}: ${meaning}` }));
    choice.addEventListener("change", async () => {
      const format = choice.value;
      choice.value = "";
      if (!format || job() === null) return;
      try { await save(address(`jobs/${job()}/download`, { to: format })); } catch (error) { tell(`${format}: ${error.message}`, "bad"); }
    });
  }

  /** Fills a choice with names and their descriptions. */
  function named(id, all, usual = "") {
    for (const [value, meaning] of all) $(id).append(pavane.element("option", { value, text: `${value}: ${meaning}`, selected: value === usual }));
  }

  /** A number with as many decimals as are useful, or a dash. */
  const figure = (value, digits = 2) => (value === null || value === undefined ? "–" : value.toFixed(digits));

  // `onfaults`: called after parts are removed or restored; `onproblem`: called after the problem has changed.
  return { $, address, call, follow, describe, section, lines, row, link, downloads, named, figure, onfaults: [], onproblem: [] };
})();

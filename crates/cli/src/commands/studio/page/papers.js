// Tables of the papers, row by row.
"use strict";
(() => {
  const { $, follow, describe } = studio;
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
      table = follow({ kind: "table", table: $("table").value, runs: $("runs").value }, (news) => {
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
    const open = pavane.element("button", { type: "button", text: row.problem, title: "show this problem", onclick: () => studio.open(row.problem) });
    const tried = row.trials.map((t) => `${t.engine} in ${t.steps}: ${t.hits} of ${t.runs}`).join("; ");
    const cell = (text) => pavane.element("td", { text: String(text ?? "–") });
    return pavane.element("tr", {}, pavane.element("td", {}, open), cell(row.paper), cell(row.bound), cell(row.best), cell(tried), cell(row.remarks.join("; ")));
  }

  studio.onchoices.push((choices) => {
    for (const [name, paper, count] of choices.tables) $("table").append(pavane.element("option", { value: name, text: `${name}: ${count} problems (${paper})` }));
  });
})();

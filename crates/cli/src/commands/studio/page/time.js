// The quickest schedule: found, played, drawn, and repaired after parts are removed.
"use strict";
(() => {
  const { $, address, machine, remember } = studio;
  const LARGEST_FILE = 1.5e6;
  let player = null;
  let shown = null;         // the job of the schedule on display
  let isOpened = false;     // whether it comes from a file, so that the form may describe another network
  let first = null;         // the schedule that repairs start from: { job, faults }

  const time = studio.section("time", {
    word: "searching for a quick schedule",
    wish: fresh,
    show(job, data) {
      shown = job;
      $("time-title").textContent = data.title;
      studio.lines($("time-lines"), data.lines);
      if (player) player.destroy();
      player = null;
      $("time-player").replaceChildren();
      $("time-note").hidden = data.player !== null;
      if (data.player) player = pavane.viewer($("time-player"), data.player, { keys: false, ...(isOpened ? {} : studio.breaking(data.player)) });
      $("time-picture").src = address(`jobs/${job}/download`, { to: "svg" });
    },
  });

  async function fresh() {
    const faults = studio.faults();
    first = null;
    isOpened = false;
    remember();
    const sizes = $("time-sizes").value.trim();
    const bytes = $("time-bytes").value.trim() || (sizes ? "" : $("time-bytes").placeholder);
    const values = { bytes, sizes, chunks: $("time-chunks").value.trim() };
    const job = await time.run({ kind: "timed", machine: machine(), ...values });
    if (job !== null) first = { job, faults };
  }

  $("time-sizes-file").addEventListener("change", async () => {
    const file = $("time-sizes-file").files[0];
    if (!file) return;
    if (file.size > LARGEST_FILE) { time.tell(`${file.name} has ${file.size} bytes; the studio accepts at most ${LARGEST_FILE}`, "bad"); return; }
    $("time-sizes").value = await file.text();
  });

  // Removed parts: repairs the schedule. If a part that was missing from the start is back, it is searched anew.
  studio.onfaults.push(async () => {
    if (first === null) return;
    const { job, faults } = first;
    const now = studio.faults();
    if (!faults.every((fault) => now.includes(fault))) { fresh(); return; }
    const more = now.filter((fault) => !faults.includes(fault));
    if (more.length) { await time.run({ kind: "repair", of: job, faults: more, ...studio.keep() }, "repairing the schedule"); return; }
    try { await time.again(job); } catch (error) { time.tell(error.message, "bad"); }
  });
  studio.onproblem.push(() => { time.drop(); first = null; });
  studio.openers["pavane/timed/1"] = async (request) => {
    $("timed").open = true;
    await time.read(request, () => { first = null; isOpened = true; });
    $("timed").scrollIntoView({ block: "start" });
  };
  studio.onchoices.push((choices) => studio.downloads("time-download", choices.timed_formats, () => shown, time.tell));
})();

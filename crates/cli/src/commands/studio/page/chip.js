// The slot table of a network on chip.
"use strict";
(() => {
  const { $, address, filled, faults } = studio;
  let player = null;
  let shown = null;
  const slot = studio.section("slot", {
    word: "searching for a first schedule",
    wish() {
      // A collective is part of every request, whether it matters or not.
      const problem = { collective: "all-to-all", ...filled(["network", "text"]) };
      slot.run({ kind: "tdm", problem, faults: faults(), ...filled(["depth", "phits", "wrap", "traffic"]) });
    },
    show(job, data) {
      shown = job;
      $("slot-title").textContent = data.title;
      $("slot-facts").replaceChildren(pavane.facts(data));
      $("slot-picture").src = address(`jobs/${job}/download`, { to: "svg" });
      if (player) player.destroy();
      player = pavane.viewer($("slot-player"), data, { keys: false });
    },
  });
  studio.openers["pavane/tdm/1"] = async (request) => {
    $("chip").open = true;
    await slot.read(request);
    $("chip").scrollIntoView({ block: "start" });
  };
  studio.onchoices.push((choices) => studio.downloads("slot-download", choices.slot_formats, () => shown, slot.tell));
})();

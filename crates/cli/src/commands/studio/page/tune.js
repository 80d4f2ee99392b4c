// The best schedule for every size: the table, switch points, plots, and plans for libraries.
"use strict";
(() => {
  const { $, address, machine, row, figure, link, remember } = studio;

  const tuning = studio.section("tune", {
    word: "searching",
    wish() {
      remember();
      const bytes = $("tune-bytes").value.trim() || $("tune-bytes").placeholder;
      tuning.run({ kind: "tune", machine: machine(), bytes, factor: $("tune-factor").value.trim() });
    },
    show(job, data) {
      $("tune-title").textContent = data.title + (data.missing ? `; missing: ${data.missing}` : "");
      $("tune-partial").hidden = data.complete;
      document.querySelector("#tune-ranges tbody").replaceChildren(...data.ranges.map((range, at) => row(
        `from ${data.ranges_in_words[at]}`, range.schedule, files(job, range), range.not_written.join("; "))));
      document.querySelector("#tune-sizes tbody").replaceChildren(...data.sizes.map((size, at) => row(
        data.sizes_in_words[at], figure(size.bound_microseconds, 3), figure(size.timed_microseconds, 3), figure(size.microseconds, 3),
        figure(size.algorithm_gbytes), figure(size.bus_gbytes), figure(size.ring_microseconds, 3), figure(size.tree_microseconds, 3),
        size.schedule ?? "–", link(job, { to: "file", file: size.timed_file }, "timed schedule"))));
      const file = (name) => address(`jobs/${job}/download`, { to: "file", file: name });
      $("tune-time").src = file("time.svg");
      $("tune-bandwidth").src = file("bandwidth.svg");
      $("tune-all").href = address(`jobs/${job}/download`, { to: "tar" });
    },
  });

  /** Links to the files of a range, by the folders that they are in. */
  function files(job, range) {
    const list = pavane.element("span", { class: "files" });
    for (const name of range.files) list.append(link(job, { to: "file", file: name }, name), " ");
    return list;
  }

  studio.onproblem.push(() => tuning.drop());
})();

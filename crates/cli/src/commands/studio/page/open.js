// Opens files, by button or by drag and drop: schedules of any kind; all others are networks.
"use strict";
(() => {
  const { $, refuse } = studio;
  const LARGEST_FILE = 1.5e6;
  const BINARY = /[\u0000-\u0008\u000b\u000e-\u001f\ufffd]/;

  async function content(file) {
    if (!file.name.endsWith(".gz")) return file.text();
    return new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }

  /** The format that a file of this program names, or nothing. */
  function format(text) {
    try { return String(JSON.parse(text).format ?? ""); } catch { return ""; }
  }

  async function open(file) {
    studio.forget();
    const tooLarge = (size) => refuse(`${file.name} has ${size} bytes; the studio accepts at most ${LARGEST_FILE}`);
    if (file.size > LARGEST_FILE) { tooLarge(file.size); return; }
    let text = "";
    try { text = await content(file); } catch (error) { refuse(`${file.name}: ${error.message}`); return; }
    if (text.length > LARGEST_FILE) { tooLarge(text.length); return; }
    if (!text.trim()) { refuse(`${file.name} is empty; open a schedule or a network`); return; }
    if (BINARY.test(text)) { refuse(`${file.name} is a binary file; the studio opens schedules and networks as text`); return; }
    const found = format(text);
    // A format that no section shows has a reason, which the server knows.
    const show = studio.openers[found] ?? (found.startsWith("pavane/") && found !== "pavane/network/1" ? studio.openers["pavane/schedule/1"] : null);
    if (show) show({ kind: "open", name: file.name, text });
    else await studio.openNetwork(file.name, text);
  }

  $("open").addEventListener("click", () => $("open-file").click());
  for (const id of ["open-file", "file"]) {
    $(id).addEventListener("change", () => { if ($(id).files[0]) open($(id).files[0]); });
  }
  // The same file can be opened again.
  $("open-file").addEventListener("click", () => { $("open-file").value = ""; });

  const hasFiles = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
  const mark = (isOver) => document.body.classList.toggle("dropping", isOver);
  addEventListener("dragover", (event) => { if (hasFiles(event)) { event.preventDefault(); mark(true); } });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) mark(false); });
  addEventListener("drop", (event) => {
    mark(false);
    if (!hasFiles(event)) return;
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) open(file);
  });
})();

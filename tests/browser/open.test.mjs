// Schedule files that are opened in the studio, the choice of an engine, and the player beside the editor.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, launch, open, pavane, studio } from "./common.mjs";

let browser;
let server;
before(async () => { [browser, server] = await Promise.all([launch(), studio()]); });
after(async () => { await browser.close(); server.child.removeAllListeners("exit"); server.child.kill(); });

const hash = (parts) => server.address + "#" + new URLSearchParams(parts);
const shown = (page) => page.waitForSelector("#player[data-steps]");
const told = (page, text) => page.waitForFunction((text) => document.querySelector("#status").textContent.includes(text), text);

async function choose(page, file) {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.click("#open")]);
  await chooser.setFiles(file);
}

/** Drops a file on the page. */
async function drop(page, name, text) {
  const data = await page.evaluateHandle(([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    return data;
  }, [name, text]);
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  assert.ok(await page.evaluate(() => document.body.classList.contains("dropping")));
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
  assert.ok(!await page.evaluate(() => document.body.classList.contains("dropping")));
}

test("a schedule file is opened by the button, fills the form, and can be repaired", async () => {
  const file = join(folder, "mine.json.gz");
  pavane("solve", "mesh:3x3", "broadcast", "--root", "1,1", "--ports", "1", "-o", file);
  const page = await open(browser, hash({ network: "ring:4", collective: "all-gather" }));
  await shown(page);
  await choose(page, file);
  await told(page, "read from mine.json.gz");
  assert.equal(await page.textContent("#title"), "broadcast on mesh:3x3");
  assert.deepEqual(await Promise.all(["network", "collective", "ports"].map((id) => page.inputValue(`#${id}`))), ["mesh:3x3", "broadcast", "1"]);
  assert.ok(page.url().includes("mesh%3A3x3"));
  await page.fill("#break", "0,0 – 0,1");
  await page.press("#break", "Enter");
  await page.waitForSelector("#mended:not([hidden])");
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("timed schedules, slot tables and networks are dropped on the page; wrong files are refused", async () => {
  const [timed, slots] = ["timed.json", "slots.json"].map((name) => join(folder, name));
  pavane("solve", "ring:4", "all-gather", "--minimize", "time", "--bytes", "1KB", "--time", "1s", "-o", timed);
  pavane("tdm", "ring:5", "-o", slots);
  const page = await open(browser, hash({ network: "ring:4", collective: "all-gather" }));
  await shown(page);
  await drop(page, "timed.json", readFileSync(timed, "utf8"));
  await page.waitForSelector("#time-result:not([hidden]) .play");
  assert.match(await page.textContent("#time-lines"), /read from\s*timed\.json/);
  await drop(page, "slots.json", readFileSync(slots, "utf8"));
  await page.waitForSelector("#slot-result:not([hidden]) .play");
  assert.match(await page.textContent("#slot-title"), /ring:5/);
  const before = await page.getAttribute("#player", "data-job");
  await drop(page, "triangle.txt", "0 1\n1 2\n2 0\n");
  await page.waitForFunction((old) => document.querySelector("#player").dataset.job !== old, before);
  assert.match(await page.textContent("#title"), /3 routers/);
  await drop(page, "broken.json", JSON.stringify({ format: "pavane/schedule/1" }));
  await page.waitForSelector("#status.bad");
  assert.match(await page.textContent("#status"), /broken\.json/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("an empty, binary or broken file changes nothing, and a file has its name", async () => {
  const page = await open(browser, hash({ network: "mesh:3x3", collective: "broadcast" }));
  await shown(page);
  await page.fill("#break", "0,0 – 0,1");
  await page.press("#break", "Enter");
  await page.waitForSelector("#mended:not([hidden])");
  const before = await Promise.all(["#player", "#mended"].map((part) => page.locator(part).evaluate((node) => node.dataset.job ?? node.textContent)));
  for (const [name, text, told] of [
    ["empty.txt", "", "empty.txt is empty"],
    ["blank.json", " \n", "blank.json is empty"],
    ["picture.bin", "\u0000\u0001\u0002", "picture.bin is a binary file"],
    ["loop.txt", "0 0\n", "loop.txt"],
    ["huge.json", JSON.stringify({ format: "pavane/network/1", routers: 5000, links: [[0, 1]] }), "at most 4096 routers and 65536 channels"],
  ]) {
    await drop(page, name, text);
    await page.waitForFunction((told) => document.querySelector("#status.bad")?.textContent.includes(told), told);
    assert.ok(!/\\u|pasted|column/.test(await page.textContent("#status")), await page.textContent("#status"));
    const now = await Promise.all(["#player", "#mended"].map((part) => page.locator(part).evaluate((node) => node.dataset.job ?? node.textContent)));
    assert.deepEqual(now, before, name);
    assert.ok(await page.isVisible("#mended"));
    assert.equal(await page.inputValue("#network"), "mesh:3x3");
  }
  // The browser reports refused requests on its console.
  page.errors.splice(0);
  await drop(page, "triangle.txt", "0 1\n1 2\n2 0\n");
  await page.waitForFunction(() => document.querySelector("#title").textContent.includes("triangle.txt"));
  await page.fill("#text", "0 1\n1 2\n");
  await page.click("#find");
  await page.waitForFunction(() => document.querySelector("#title").textContent.includes("pasted"));
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("a broken file leaves a running search as it is, and the network is shown meanwhile", async () => {
  const page = await open(browser, hash({ network: "random-regular:100,4,7", collective: "all-to-all" }));
  await page.waitForSelector("#preview:not([hidden])");
  assert.match(await page.getAttribute("#preview", "alt"), /random-regular:100,4,7/);
  await page.waitForSelector("#status.busy");
  await drop(page, "broken.json", JSON.stringify({ format: "pavane/schedule/1" }));
  await page.waitForFunction(() => /broken\.json/.test(document.querySelector("#status").textContent));
  assert.ok(await page.isVisible("#stop"), "the search goes on");
  await page.waitForFunction(() => !/first schedule/.test(document.querySelector("#status").textContent));
  await page.click("#stop");
  await page.waitForSelector("#result:not([hidden])");
  assert.ok(await page.isHidden("#preview"));
  assert.match(await page.textContent("#title"), /all-to-all on random-regular/);
  await page.close();
});

test("an opened file takes back an earlier error, and Find asks for a problem that the form describes", async () => {
  const page = await open(browser, hash({ network: "ring:4", collective: "broadcast" }));
  await shown(page);
  const timed = join(folder, "quick.json");
  pavane("solve", "ndv2:1", "all-gather", "--minimize", "time", "--bytes", "1KB", "--time", "1s", "-o", timed);
  await drop(page, "broken.json", JSON.stringify({ format: "pavane/schedule/1" }));
  await page.waitForSelector("#status.bad");
  await drop(page, "quick.json", readFileSync(timed, "utf8"));
  await page.waitForSelector("#time-result:not([hidden])");
  assert.equal(await page.locator("#status.bad").count(), 0);
  page.errors.splice(0);
  // The form has no field for a list of messages.
  const [messages, listed] = ["messages.csv", "listed.json"].map((name) => join(folder, name));
  writeFileSync(messages, "from,to\n0,2\n3,1\n");
  pavane("solve", "ring:5", messages, "-o", listed);
  await drop(page, "listed.json", readFileSync(listed, "utf8"));
  await told(page, "read from listed.json");
  await page.click("#find");
  await told(page, "the form cannot describe the problem of listed.json");
  assert.match(await page.textContent("#title"), /ring:5/);
  await page.fill("#network", "ring:6");
  await page.click("#find");
  await page.waitForFunction(() => /ring:6/.test(document.querySelector("#title").textContent));
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("wrong numbers are told with their field", async () => {
  const page = await open(browser, hash({ network: "mesh:3x3", collective: "broadcast", seed: "1e23" }));
  await told(page, "random seed: 1e23 is not a whole number from 0 to 18446744073709551615");
  await page.fill("#seed", "7");
  await page.click("#find");
  await shown(page);
  await page.fill("#keep", "999");
  await page.fill("#break", "0,0 – 0,1");
  await page.press("#break", "Enter");
  await told(page, "repairs keep %: 999 is not a whole number from 0 to 100");
  await page.close();
});

test("the engine is chosen by name", async () => {
  const page = await open(browser, hash({ network: "ring:5", collective: "all-to-all", engine: "ejection" }));
  await told(page, "found by ejection");
  assert.equal(await page.inputValue("#engine"), "ejection");
  assert.ok(await page.isVisible("#engine"), "the form is open");
  await page.selectOption("#engine", "polygons");
  await told(page, "found by polygons");
  assert.ok(page.url().includes("engine=polygons"));
  assert.match(await page.textContent("#routing"), /detours of at most 2 hops/);
  assert.match(await page.textContent("#traffic-routing"), /e-cube: the lowest dimension/);
  await page.close();
});

test("Play stays in view while a network is drawn, with the form open or not", async () => {
  const page = await open(browser, hash({ network: "mesh:4x4", collective: "all-to-all" }), { width: 1440, height: 900 });
  await shown(page);
  await page.click("#edit");
  await page.waitForFunction(() => Number(document.querySelector("#canvas").dataset.routers) > 0);
  for (const isOpen of [false, true]) {
    await page.evaluate((isOpen) => { document.querySelector("#more").open = isOpen; scrollTo(0, 0); }, isOpen);
    const [play, canvas] = await Promise.all(["#player .play", "#canvas"].map((part) => page.locator(part).boundingBox()));
    assert.ok(play.y >= 0 && play.y + play.height <= 900, `form ${isOpen ? "open" : "closed"}: Play ends at ${play.y + play.height}`);
    assert.ok(canvas.y < 900 && canvas.x + canvas.width <= play.x, "the editor is beside the player");
    const top = await page.evaluate(([x, y]) => Boolean(document.elementFromPoint(x, y).closest(".play")), [play.x + play.width / 2, play.y + play.height / 2]);
    assert.ok(top, "nothing covers Play");
  }
  writeFileSync(join(folder, "editing.png"), await page.screenshot());
  assert.deepEqual(page.errors, []);
  await page.close();
});

// Bounds, the cost of faults, traffic and deadlocks in the studio, in a real browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, launch, open, pavane, studio } from "./common.mjs";

let browser;
let server;
before(async () => { [browser, server] = await Promise.all([launch(), studio()]); });
after(async () => { await browser.close(); server.child.removeAllListeners("exit"); server.child.kill(); });

const hash = (parts) => server.address + "#" + new URLSearchParams(parts);
const shown = (page) => page.waitForSelector("#player[data-steps]");

/** Opens a section, runs its job and waits for the result. */
async function run(page, section, name) {
  await page.evaluate((section) => { document.querySelector(section).open = true; }, section);
  await page.click(`#${name}-find`);
  await page.waitForFunction((name) => !document.querySelector(`#${name}-status`).classList.contains("busy"), name);
  assert.equal(await page.textContent(`#${name}-status`), "verified");
}

const drawn = (page, id) => page.waitForFunction((id) => { const img = document.querySelector(id); return img.complete && img.naturalWidth > 100; }, id);

async function saved(page, link, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(link)]);
  const file = join(folder, name);
  await download.saveAs(file);
  return file;
}

test("every bound is explained, and its cut is marked in the picture", async () => {
  const page = await open(browser, hash({ network: "mesh:4x4", collective: "aas" }));
  await shown(page);
  await run(page, "#reasons", "bounds");
  assert.match(await page.textContent("#bounds-title"), /at least 16 steps/);
  // The same as the command says.
  const told = JSON.parse(pavane("bound", "mesh:4x4", "aas", "--json"));
  const rows = await page.locator("#bounds-rows tbody tr").allTextContents();
  assert.equal(rows.length, told.bounds.length);
  told.bounds.forEach((bound, at) => assert.ok(rows[at].includes(`${bound.steps}${bound.reason}${bound.explanation}`), rows[at]));
  assert.equal(rows.filter((row) => row.startsWith("*")).length, 1);
  const cut = told.bounds.find((bound) => bound.reason === "cut").certificate.routers;
  await page.click("#bounds-rows [aria-label='show cut in the picture']");
  assert.equal(await page.locator("#player .nodes [data-marked]").count(), cut.length);
  const counted = /over (\d+) channels/.exec(told.bounds.find((bound) => bound.reason === "cut").explanation);
  assert.equal(await page.locator("#player .lit path").count(), Number(counted[1]), "the channels out of the cut");
  // They are above the paths, and a legend has the value.
  assert.ok(await page.evaluate(() => document.querySelector("#player .paths").compareDocumentPosition(document.querySelector("#player .lit")) & Node.DOCUMENT_POSITION_FOLLOWING));
  assert.match(await page.textContent("#player .marked"), /\d+ marked channels\d+ marked routerscut, at least 16 steps: /);
  await page.click("#player .marked button");
  assert.equal(await page.locator("#player .lit path").count(), 0);
  // Another network: the bounds and marks are gone.
  await page.fill("#network", "ring:5");
  await page.click("#find");
  await page.waitForFunction(() => /ring:5/.test(document.querySelector("#title").textContent));
  assert.equal(await page.isVisible("#bounds-result"), false);
  assert.equal(await page.locator("#player [data-marked]").count(), 0);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("the steps that every fault costs are drawn and listed", async () => {
  const page = await open(browser, hash({ network: "mesh:3x3", collective: "oab", switching: "sf" }));
  await shown(page);
  await run(page, "#costs", "heat");
  await drawn(page, "#heat-picture");
  const picture = decodeURIComponent(await page.getAttribute("#heat-picture", "src"));
  assert.equal(picture.match(/% steps<\/title>/g).length, 12, "every link");
  assert.match(picture, /broadcast on mesh:3x3/);
  assert.match(picture, /prefers-color-scheme: dark/);
  const [head, ...rows] = readFileSync(await saved(page, "#heat-csv", "costs.csv"), "utf8").trim().split("\n");
  assert.equal(head, "fault,steps,bound,more_steps");
  // The same as the command says.
  const told = JSON.parse(pavane("faults", "mesh:3x3", "oab", "--switching", "sf", "--json"));
  const classes = told.collectives[0].classes.flatMap((one) => Array(one.count).fill(one.steps));
  assert.deepEqual(rows.map((row) => Number(row.split(",").at(-3))).sort(), classes.sort());
  // A network that falls apart.
  await page.fill("#network", "path:3");
  await page.selectOption("#collective", "all-gather");
  await page.waitForFunction(() => /all-gather on path:3/.test(document.querySelector("#title").textContent));
  await run(page, "#costs", "heat");
  assert.match(await page.textContent("#heat-rows tbody"), /disconnects 0 → 1/);
  assert.deepEqual(page.errors, []);
  await page.close();
  // A link that is removed already is drawn, and parts have the names of the picture.
  const broken = await open(browser, hash({ network: "mesh:3x3", collective: "oab", faults: "0,0-0,1" }));
  await shown(broken);
  await run(broken, "#costs", "heat");
  await drawn(broken, "#heat-picture");
  const map = decodeURIComponent(await broken.getAttribute("#heat-picture", "src"));
  assert.match(map, /stroke-dasharray="4 4"><title>broken/);
  assert.match(map, /broken 0,0–0,1/);
  assert.match(await broken.textContent("#heat-rows tbody"), /0,0–1,0.*disconnects 0,0 → 0,1/);
  assert.deepEqual(broken.errors, []);
  await broken.close();
});

test("a mission is simulated and drawn", async () => {
  const page = await open(browser, hash({ network: "hypercube:3", collective: "all-to-all" }));
  await shown(page);
  await run(page, "#missions", "traffic");
  // The same as the command says.
  const told = JSON.parse(pavane("traffic", "run", "hypercube:3", "--json"));
  assert.match(await page.textContent("#traffic-lines"), new RegExp(`makespan${told.makespan.toFixed(3)}`));
  await drawn(page, "#traffic-picture");
  assert.match(readFileSync(await saved(page, "#traffic-csv", "log.csv"), "utf8"), /^message,source,destination,length/);
  await page.selectOption("#traffic-messages", "collective");
  await page.selectOption("#traffic-switching", "vct");
  await page.selectOption("#traffic-policy", "fifo");
  await run(page, "#missions", "traffic");
  assert.match(await page.textContent("#traffic-title"), /56 messages on hypercube:3: vct, routing .*, fifo/);
  await page.selectOption("#traffic-messages", "permutation=bit-complement");
  await run(page, "#missions", "traffic");
  assert.match(await page.textContent("#traffic-title"), /6 messages on hypercube:3: vct, routing .*, fifo/);
  await page.fill("#traffic-mean", "long");
  await page.click("#traffic-find");
  await page.waitForSelector("#traffic-status.bad");
  assert.match(await page.textContent("#traffic-status"), /mean: "long" is not a number/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("a cycle of channel dependencies is marked in the picture", async () => {
  const page = await open(browser, hash({ network: "ring:5", collective: "oab" }));
  await shown(page);
  await page.evaluate(() => { document.querySelector("#routings").open = true; });
  await page.selectOption("#deadlock-routing", "shortest");
  await run(page, "#routings", "deadlock");
  assert.match(await page.textContent("#deadlock-lines"), /not deadlock-free: 5 channels depend on each other in a cycle/);
  await drawn(page, "#deadlock-picture");
  await page.click("#deadlock-show");
  assert.equal(await page.locator("#player .lit path").count(), 5);
  assert.match(readFileSync(await saved(page, "#deadlock-dot", "cycle.dot"), "utf8"), /^digraph/);
  await page.selectOption("#deadlock-duplex", "half");
  await run(page, "#routings", "deadlock");
  assert.match(await page.textContent("#deadlock-lines"), /not deadlock-free: 2 links depend on each other in a cycle/);
  await page.selectOption("#deadlock-routing", "escape");
  await page.click("#deadlock-find");
  await page.waitForSelector("#deadlock-status.bad");
  assert.match(await page.textContent("#deadlock-status"), /escape routing needs buffers/);
  await page.selectOption("#deadlock-duplex", "full");
  await page.selectOption("#deadlock-routing", "up-down");
  await run(page, "#routings", "deadlock");
  assert.match(await page.textContent("#deadlock-lines"), /deadlock-free: no cycle/);
  assert.equal(await page.isVisible("#deadlock-show"), false);
  assert.deepEqual(page.errors, []);
  await page.close();
});

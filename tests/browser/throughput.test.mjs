// The throughput section of the studio in a real browser: pictures, sizes, repair, cost of faults, automatic chunks.
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
const verified = (page) => page.waitForFunction(() => document.querySelector("#rate-status").textContent === "verified");
const lines = (page) => page.textContent("#rate-lines");
const job = (page) => page.getAttribute("#rate-result", "data-job");

/** Computes the throughput and waits for the plan. */
async function compute(page) {
  await page.evaluate(() => { document.querySelector("#rates").open = true; });
  await page.click("#rate-find");
  await verified(page);
}

/** Waits until a picture is drawn, and returns its SVG text. */
async function picture(page, id) {
  await page.waitForFunction((id) => { const img = document.querySelector(id); return !img.hidden && img.complete && img.naturalWidth > 100; }, id);
  return decodeURIComponent((await page.getAttribute(id, "src")).replace(/^data:image\/svg\+xml,/, ""));
}

/** Downloads a file of a link to the folder of the test. */
async function saved(page, link, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(link)]);
  const file = join(folder, name);
  await download.saveAs(file);
  return file;
}

test("the bottleneck and the trees of a message are drawn", async () => {
  const page = await open(browser, hash({ network: "dgx-a100:2", collective: "all-gather" }));
  await shown(page);
  await compute(page);
  const loads = await picture(page, "#rate-picture");
  assert.match(loads, /cut: 15 shards must enter the shaded area over 2 channels with 325 GB\/s/);
  assert.match(loads, /f-shade/);
  await page.fill("#rate-message", "3");
  await page.click("#rate-shown button");
  await page.waitForSelector("#rate-picture[data-shown='3']");
  const trees = await picture(page, "#rate-picture");
  assert.doesNotMatch(trees, /f-shade/);
  assert.notEqual(trees, loads);
  // The picture is the one of the command.
  const plan = await saved(page, "#rate-plan", "gather.json");
  pavane("draw", plan, "--message", "3", "-o", join(folder, "gather.svg"));
  assert.equal(readFileSync(join(folder, "gather.svg"), "utf8"), trees);
  await page.fill("#rate-message", "16");
  await page.click("#rate-shown button");
  await page.waitForSelector("#rate-picture-status.bad");
  assert.match(await page.textContent("#rate-picture-status"), /there is no message 16; the 16 messages are 0 to 15/);
  assert.equal(page.errors.filter((error) => !/422/.test(error)).length, 0);
  await page.close();
});

test("the paths of a block and the phases of an all-reduce are drawn", async () => {
  const page = await open(browser, hash({ network: "ring:4", collective: "all-to-all", bandwidth: "25GB/s" }));
  await shown(page);
  await compute(page);
  assert.equal(await page.isVisible("#rate-phase"), false);
  await page.fill("#rate-message", "0,2");
  await page.click("#rate-shown button");
  await page.waitForSelector("#rate-picture[data-shown='0,2']");
  assert.match(await picture(page, "#rate-picture"), /<svg/);
  await page.fill("#rate-message", "");
  await page.selectOption("#collective", "all-reduce");
  await shown(page);
  await compute(page);
  assert.equal(await page.isVisible("#rate-phase"), true);
  const both = await picture(page, "#rate-picture");
  await page.selectOption("#rate-phase", "0");
  await page.waitForFunction((both) => decodeURIComponent(document.querySelector("#rate-picture").src) !== "data:image/svg+xml," + both, both);
  assert.match(await picture(page, "#rate-picture"), /phase 0: reduce/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("a click on a link repairs the plan, and another restores it", async () => {
  const page = await open(browser, hash({ network: "dgx-1v", collective: "all-gather", bytes: "8MB" }));
  await shown(page);
  await compute(page);
  const first = await job(page);
  assert.match(await lines(page), /7\/150 ns per byte/);
  const other = (old) => page.waitForFunction((old) => document.querySelector("#rate-result").dataset.job !== old, old);
  await page.locator(".hits path[data-c='0']").dispatchEvent("click");
  await other(first);
  await verified(page);
  const text = await lines(page);
  for (const part of [/7\/125 ns per byte/, /repaired; attains the limit: throughput-optimal/, /before.*7\/150/s, /\d+ before, \d+ of them still valid/]) assert.match(text, part);
  const plan = await saved(page, "#rate-plan", "mended-plan.json");
  assert.equal(JSON.parse(readFileSync(plan, "utf8")).network.faults.length, 1);
  assert.match(pavane("verify", plan), /throughput-optimal/);
  assert.match(await picture(page, "#rate-picture"), /broken /);
  await page.waitForFunction(() => !document.querySelector("#status").classList.contains("busy"));
  await page.click("#heal");
  await page.waitForFunction((first) => document.querySelector("#rate-result").dataset.job === first, first);
  assert.match(await lines(page), /7\/150 ns per byte/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("a plan for a broken network is computed anew when its link is restored", async () => {
  const page = await open(browser, hash({ network: "ring:4", collective: "all-gather", faults: "r0-r1" }));
  await shown(page);
  await page.waitForFunction(() => document.querySelectorAll(".broken path").length === 1);
  await compute(page);
  assert.match(await lines(page), /3 ns per byte/);
  await page.click("#heal");
  await page.waitForFunction(() => /3\/2 ns per byte/.test(document.querySelector("#rate-lines").textContent));
  await verified(page);
  // A lost router: its processor is missing.
  await page.locator(".nodes [data-r='1']").dispatchEvent("click");
  await page.waitForFunction(() => /missing/.test(document.querySelector("#rate-lines").textContent));
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("sizes are pasted or come from a file, and wrong ones are told", async () => {
  const page = await open(browser, hash({ network: "path:3", collective: "all-to-all", bandwidth: "8GB/s", latency: "0.5us", sizes: "0,4096,0\n0,7,8192\n0,1024,0\n" }));
  await shown(page);
  await compute(page);
  assert.match(await lines(page), /limit1\.02 µs for the 13312 bytes of all messages/);
  const plan = JSON.parse(readFileSync(await saved(page, "#rate-plan", "sized.json"), "utf8"));
  assert.deepEqual([...new Set(plan.network.latency_ns)], [500]);
  assert.match(pavane("verify", join(folder, "sized.json")), /throughput-optimal/);
  const file = join(folder, "sizes.json");
  writeFileSync(file, "[[0, 8192, 0], [0, 0, 0], [0, 0, 0]]");
  await page.setInputFiles("#sizes-file", file);
  await page.waitForFunction(() => document.querySelector("#sizes").value.startsWith("[["));
  await compute(page);
  assert.match(await lines(page), /1\.02 µs/);
  for (const [text, part] of [["0,1\n2,x", /sizes: line 2, column 2: "x" is not a whole number/], ["0,1\n1,0", /sizes: it has 2 rows for 3 senders/], ["[", /sizes: expected a list of rows/]]) {
    await page.fill("#sizes", text);
    await page.click("#rate-find");
    await page.waitForSelector("#rate-status.bad");
    assert.match(await page.textContent("#rate-status"), part);
    assert.equal(await page.isVisible("#rate-result"), false);
  }
  await page.fill("#sizes", "");
  for (const [field, text, part] of [["#bandwidth", "9 parsec", /bandwidth: .*no unit/], ["#latency", "-1ns", /latency: .*negative/], ["#trees", "2", /trees: messages of all-to-all take paths/]]) {
    const old = await page.inputValue(field);
    await page.fill(field, text);
    await page.click("#rate-find");
    await page.waitForFunction((part) => new RegExp(part).test(document.querySelector("#rate-status").textContent), part.source);
    await page.fill(field, old);
  }
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("the cost of every fault is drawn and listed", async () => {
  const page = await open(browser, hash({ network: "dgx-1v", collective: "all-gather", bandwidth: "50GB/s" }));
  await shown(page);
  await page.click("#costs > summary");
  await page.selectOption("#heat-unit", "GB/s");
  await page.click("#heat-find");
  await page.waitForSelector("#heat-result:not([hidden])");
  const heat = await picture(page, "#heat-picture");
  assert.equal(heat.match(/% bandwidth, [\d.]+ GB\/s<\/title>/g).length, 24);
  assert.match(await page.textContent("#heat-title"), /all-gather on dgx-1v, 342\.86 GB\/s/);
  assert.match(await page.textContent("#heat-rows tbody tr"), /285\.71\D*57\.14\D*16\.7 %/);
  const [head, none, ...rows] = readFileSync(await saved(page, "#heat-csv", "costs.csv"), "utf8").trim().split("\n");
  assert.equal(head, "fault,ns_per_byte,algorithm_gbytes,cost_gbytes,cost_percent");
  assert.match(none, /^none,7\/300,/);
  assert.equal(rows.length, 24);
  // The same as the command says.
  const told = JSON.parse(pavane("faults", "dgx-1v", "all-gather", "--throughput", "--bandwidth", "50GB/s", "--json"));
  const costs = (list) => list.map((cost) => cost.toFixed(6)).sort();
  const classes = told.collectives[0].classes.flatMap((one) => Array(one.count).fill(one.cost_gbytes));
  assert.deepEqual(costs(rows.map((row) => Number(row.split(",")[3]))), costs(classes));
  // Routers, and a network that falls apart.
  await page.fill("#network", "path:3");
  await page.click("#find");
  await page.waitForFunction(() => /path:3/.test(document.querySelector("#title").textContent));
  await page.selectOption("#heat-of", "routers");
  await page.click("#heat-find");
  await page.waitForFunction(() => /disconnects 0 → 2/.test(document.querySelector("#heat-rows").textContent));
  assert.match(await picture(page, "#heat-picture"), /disconnects processors/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("the number of chunks is found automatically", async () => {
  const page = await open(browser, hash({ network: "ring:4", collective: "all-gather", chunks: "auto" }));
  await shown(page);
  await page.waitForSelector("#gain:not([hidden])");
  assert.match(await page.textContent("#gain"), /2 per message: 3\/2 steps per message; equals the throughput limit 3\/2/);
  assert.equal(await page.inputValue("#chunks"), "auto");
  assert.match(page.url(), /chunks=auto/);
  await page.fill("#chunks", "many");
  await page.click("#find");
  await page.waitForSelector("#status.bad");
  assert.match(await page.textContent("#status"), /chunks: "many" is not a number from 1 to 4096, or auto/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

// Time in the studio, in a real browser: the quickest schedule, comparison, tuning, and the Pareto front.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
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

/** Runs the job of a section and waits for its result. */
async function run(page, name) {
  await page.click(`#${name}-find`);
  await page.waitForFunction((name) => !document.querySelector(`#${name}-status`).classList.contains("busy"), name);
  assert.equal(await page.textContent(`#${name}-status`), "verified");
}

/** Waits until a picture of the studio is drawn. */
const drawn = (page, id) => page.waitForFunction((id) => { const img = document.querySelector(id); return img.complete && img.naturalWidth > 100; }, id);

/** Saves the file that a click downloads. */
async function saved(page, act, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  const file = join(folder, name);
  await download.saveAs(file);
  return file;
}

test("the quickest schedule is found, played and repaired, and the judge accepts it", async () => {
  const page = await open(browser, hash({ network: "ring:4", collective: "all-gather", bandwidth: "25GB/s", "time-bytes": "1MB" }));
  await shown(page);
  assert.equal(await page.isVisible("#time-form"), true, "the address opens the section");
  await run(page, "time");
  assert.match(await page.textContent("#time-lines"), /15\.0000 µs: optimal; algorithm bandwidth 66\.67 GB\/s; bus bandwidth 50\.00 GB\/s/);
  // The same as the command says.
  const told = JSON.parse(pavane("solve", "ring:4", "all-gather", "--minimize", "time", "--bytes", "1MB", "--bandwidth", "25GB/s", "--json"));
  assert.equal(told.microseconds, 15);
  const file = await saved(page, () => page.selectOption("#time-download", "json"), "timed.json");
  assert.match(pavane("verify", file), /optimal/);
  // Chunks move along the links: dots leave the routers and arrive.
  const dots = () => page.evaluate(() => [...document.querySelectorAll("#time-player .moving path")].map((path) => path.getAttribute("d")).join(""));
  await page.fill("#time-player .timeline input", "20");
  const before = await dots();
  assert.equal(before.match(/M/g).length, 8, "a chunk on every channel");
  await page.fill("#time-player .timeline input", "21");
  assert.notEqual(await dots(), before);
  await page.selectOption("#time-player .speed select", "60");
  await page.click("#time-player .play");
  await page.waitForFunction(() => /^15\.00 of 15\.00 µs$/.test(document.querySelector("#time-player .where").textContent));
  assert.equal(await dots(), "", "everything has arrived");
  await drawn(page, "#time-picture");
  // A broken link: the schedule is repaired.
  await page.locator("#time-player .hits path[data-c='0']").dispatchEvent("click");
  await page.waitForFunction(() => /15\.0000 µs before/.test(document.querySelector("#time-lines").textContent));
  assert.match(await page.textContent("#time-lines"), /30\.0000 µs, 15\.0000 µs before: optimal.*of them still valid/s);
  await page.waitForFunction(() => !document.querySelector("#status").classList.contains("busy"));
  await page.click("#heal");
  await page.waitForFunction(() => !/before/.test(document.querySelector("#time-lines").textContent));
  await page.fill("#time-bytes", "lots");
  await page.click("#time-find");
  await page.waitForSelector("#time-status.bad");
  assert.match(await page.textContent("#time-status"), /bytes: "lots" is not a size/);
  assert.equal(await page.isVisible("#time-result"), false);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("stop keeps the best schedule", async () => {
  const page = await open(browser, hash({ network: "ndv2:2", collective: "all-gather" }));
  await shown(page);
  // An empty size is that of the placeholder.
  await page.click("#timed > summary");
  await page.click("#time-find");
  await page.waitForFunction(() => /searching for a quick/.test(document.querySelector("#time-status").textContent));
  assert.equal(await page.textContent("#time-find"), "Stop");
  await page.click("#time-find");
  await page.waitForFunction(() => document.querySelector("#time-status").textContent === "verified");
  assert.match(await page.textContent("#time-lines"), /above the best possible time/);
  assert.equal(await page.textContent("#time-find"), "Quickest schedule");
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("algorithms of libraries are compared, drawn and played", async () => {
  const page = await open(browser, hash({ network: "ring:4", collective: "all-gather", "contest-bytes": "64KB,1MB" }));
  await shown(page);
  await run(page, "contest");
  assert.equal(await page.locator("#contest-sizes section").count(), 2);
  const text = await page.textContent("#contest-sizes");
  for (const part of [/1 MB: at least 375\.0000 µs/, /pavane375\.0000/, /bruck/, /recursive doubling/]) assert.match(text, part);
  for (const at of [1, 2]) await drawn(page, `#contest-sizes section:nth-child(${at}) img`);
  const chart = await saved(page, () => page.click("#contest-sizes section:nth-child(2) a"), "compared.svg");
  assert.match(readFileSync(chart, "utf8"), /all-gather of 1 MB on ring:4: busiest channels/);
  await page.click("#contest-sizes section:nth-child(2) button:text-is('bruck')");
  await page.waitForSelector("#contest-played[data-algorithm='bruck']:not([hidden])");
  assert.match(await page.textContent("#contest-name"), /bruck: all-gather on ring:4/);
  const file = await saved(page, () => page.click("#contest-file"), "bruck.json");
  assert.match(pavane("verify", file), /valid/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("a tuning shows its switch points and plots, and offers its plans", async () => {
  const page = await open(browser, hash({ network: "ring:4", collective: "all-gather", "tune-bytes": "1KB..1MB", "tune-factor": "1000" }));
  await shown(page);
  await run(page, "tune");
  assert.match(await page.textContent("#tune-ranges tbody tr"), /from 0 B.*msccl\/0-max\.xml/);
  assert.equal(await page.locator("#tune-sizes tbody tr").count(), 2);
  await drawn(page, "#tune-time");
  await drawn(page, "#tune-bandwidth");
  const plan = await saved(page, () => page.click("#tune-ranges a >> text=/^msccl.*xml$/ >> nth=0"), "tuned.xml");
  assert.match(readFileSync(plan, "utf8"), /<algo .*minBytes=/s);
  const archive = await saved(page, () => page.click("#tune-all"), "tuned.tar");
  const names = execFileSync("tar", ["-tf", archive], { encoding: "utf8" }).trim().split("\n");
  for (const part of [/^msccl\/.*\.xml$/, /^mscclpp\/.*\.json$/, /^mpi\/.*\.c$/, /^timed\/1000\.json\.gz$/, /^tuning\.json$/, /^time\.svg$/]) assert.ok(names.some((name) => part.test(name)), `${part} in ${names}`);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("a click on a point of the front shows its schedule", async () => {
  const page = await open(browser, hash({ network: "dgx-1v", collective: "all-gather", "front-chunks": "2" }));
  await shown(page);
  await run(page, "front");
  const rows = await page.locator("#front-rows tbody tr").allTextContents();
  assert.deepEqual(rows.map((row) => row.match(/\(\d+, \d+, \d+\)/)[0]), ["(1, 2, 2)", "(2, 2, 3)", "(2, 3, 3)"]);
  assert.match(rows[1], /^\*.*is below the throughput limit/);
  await drawn(page, "#front-plot");
  // The buttons lie on the points: two steps are left of three, two rounds per chunk above three halves.
  const [first, second, third] = await Promise.all([0, 1, 2].map((at) => page.locator(`#front-points [data-point='${at}']`).boundingBox()));
  assert.ok(Math.abs(first.x - second.x) < 1 && second.x < third.x && first.y < second.y && Math.abs(second.y - third.y) < 1);
  await page.click("#front-points [data-point='1']");
  await page.waitForSelector("#front-played[data-point='1']:not([hidden])");
  assert.match(await page.textContent("#front-facts"), /rounds 3 \(1\+2\)/);
  assert.match(await page.textContent("#front-player .where"), /round 0 of 0–2/);
  await page.click("#front-rows [data-point='2']");
  await page.waitForSelector("#front-played[data-point='2']");
  const file = await saved(page, () => page.click("#front-rows tbody tr:nth-child(2) a"), "point.json");
  assert.match(pavane("verify", file), /valid/);
  // A network with switches has no such schedules.
  await page.fill("#network", "dgx-a100:1");
  await page.click("#find");
  await page.waitForFunction(() => /dgx-a100/.test(document.querySelector("#title").textContent));
  await page.click("#front-find");
  await page.waitForSelector("#front-status.bad");
  assert.match(await page.textContent("#front-status"), /need a processor on every router/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

// The studio in a real browser: solve, break, repair, download, compare, and refused requests.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, launch, open, pavane, studio } from "./common.mjs";

let browser;
let server;
before(async () => { [browser, server] = await Promise.all([launch(), studio()]); });
after(async () => { await browser.close(); server.child.removeAllListeners("exit"); server.child.kill(); });

const hash = (parts) => server.address + "#" + new URLSearchParams(parts);
const shown = (page) => page.waitForSelector("#player[data-steps]");
const idle = (page) => page.waitForFunction(() => !document.querySelector("#status").classList.contains("busy"));
const job = (page) => page.getAttribute("#player", "data-job");
const api = (path, query = "") => `${server.base}/api/${path}?token=${server.token}${query}`;

/** Breaks or restores the clicked link, and waits for the schedule. */
async function click(page, selector) {
  const before = await job(page);
  await page.locator(selector).dispatchEvent("click");
  await page.waitForFunction((old) => document.querySelector("#player").dataset.job !== old, before);
  await idle(page);
}

test("a click on a link changes the schedule, and the judge accepts the download", async () => {
  const page = await open(browser, hash({ network: "mesh:4x4", collective: "aas" }));
  await shown(page);
  assert.equal(await page.getAttribute("#player", "data-steps"), "16");
  await click(page, ".hits path[data-c='20']");
  assert.match(await page.textContent("#mended"), /Repaired: \d+ steps/);
  assert.equal(await page.locator(".broken path").count(), 1);
  const times = [];
  for (const channel of [0, 6, 14, 30]) {
    await click(page, `.hits path[data-c='${channel}']`);
    times.push(Number(await page.getAttribute("#player", "data-mended")));
    await page.click("#heal");
    await page.waitForFunction(() => document.querySelector("#player").dataset.steps === "16");
  }
  console.log(`from click to mended schedule, mesh:4x4 aas: ${times.join(", ")} ms`);
  await click(page, ".hits path[data-c='20']");
  const file = join(folder, "mended.json");
  const response = await fetch(api(`jobs/${await job(page)}/download`, "&to=json"));
  writeFileSync(file, Buffer.from(await response.arrayBuffer()));
  assert.match(pavane("verify", file), /valid/);
  assert.equal(JSON.parse(readFileSync(file, "utf8")).network.faults.length, 1);
  // A router, too; and everything can be healed.
  await click(page, ".nodes [data-r='5']");
  assert.match(await page.textContent("#mended"), /missing: processor 1,1/);
  await page.click("#heal");
  await page.waitForFunction(() => document.querySelector("#player").dataset.steps === "16");
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("every export can be downloaded", async () => {
  const page = await open(browser, hash({ network: "ring:4", collective: "all-reduce" }));
  await shown(page);
  const { formats } = await (await fetch(api("choices"))).json();
  assert.ok(formats.length >= 10);
  for (const [format] of formats) {
    const response = await fetch(api(`jobs/${await job(page)}/download`, `&to=${format}`));
    const text = await response.text();
    assert.ok(response.ok || /cannot|not|only/.test(JSON.parse(text).message), `${format}: ${text.slice(0, 200)}`);
    if (response.ok) assert.match(response.headers.get("content-disposition"), /^attachment; filename=/);
  }
  const saved = async (format) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.selectOption("#download", format)]);
    const file = join(folder, download.suggestedFilename());
    await download.saveAs(file);
    return file;
  };
  assert.match(await saved("svg"), /all-reduce-ring-4\.svg$/);
  // Pictures that move name the phase of every step.
  const moving = await saved("animated-svg");
  assert.match(moving, /all-reduce-ring-4\.animated\.svg$/);
  assert.match(readFileSync(moving, "utf8"), /step 2: all-gather[^]*<animateMotion/);
  assert.equal(readFileSync(await saved("gif")).subarray(0, 6).toString(), "GIF89a");
  await page.close();
  // A download that fails says why.
  const own = await studio();
  const alone = await open(browser, own.address + "#" + new URLSearchParams({ network: "ring:4", collective: "oab" }));
  await shown(alone);
  await idle(alone);
  own.child.removeAllListeners("exit");
  await new Promise((resolve) => { own.child.on("exit", resolve); own.child.kill(); });
  await alone.selectOption("#download", "gif");
  await alone.waitForFunction(() => document.querySelector("#status.bad")?.textContent === "gif: the studio does not respond; is it still running?");
  await alone.close();
});

test("an all-reduce is solved, bounded and played as one problem", async () => {
  const page = await open(browser, hash({ network: "mesh:4x4", collective: "all-reduce" }));
  await shown(page);
  await idle(page);
  const { steps, bound } = JSON.parse(pavane("solve", "mesh:4x4", "all-reduce", "--json"));
  assert.ok(steps < 16 && bound.steps < steps);
  assert.equal(await page.getAttribute("#player", "data-steps"), String(steps));
  assert.match(await page.textContent("#facts"), new RegExp(`steps ${steps}, at most ${steps - bound.steps} from optimal.*bound ${bound.steps} `));
  // A step of both phases has solid and dashed paths.
  await page.keyboard.press("End");
  await page.waitForFunction((last) => document.querySelector("#player").dataset.step === String(last), steps - 1);
  assert.match(await page.textContent("#player .phase"), /^phase: all-gather$/);
  for (let step = steps - 1; step > 7; step--) await page.keyboard.press("ArrowLeft");
  assert.match(await page.textContent("#player .phase"), /reduce-scatter and all-gather/);
  assert.ok(await page.locator("#player .paths path.second").count() > 0);
  assert.ok(await page.locator("#player .paths path:not(.second):not(.tip)").count() > 0);
  await page.click("#reasons > summary");
  await page.click("#bounds-find");
  await page.waitForSelector("#bounds-result:not([hidden])");
  assert.match(await page.textContent("#bounds-title"), new RegExp(`at least ${bound.steps} steps`));
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("permutations, ports, detours and parts may be written as on the command line", async () => {
  const page = await open(browser, hash({ network: "mesh:3x3", collective: "broadcast" }));
  await shown(page);
  await idle(page);
  const other = async (id, value, title) => {
    const before = await job(page);
    await page.selectOption(`#${id}`, "other");
    await page.fill(`#${id}-other`, value);
    await page.press(`#${id}-other`, "Enter");
    await page.waitForFunction((old) => document.querySelector("#player").dataset.job !== old, before);
    await idle(page);
    assert.equal(await page.inputValue(`#${id}`), value);
    if (title) assert.match(await page.textContent("#title"), title);
  };
  await other("collective", "shift:2", /shift:2 on mesh:3x3/);
  await other("collective", "random-permutation:7", /random-permutation:7/);
  await other("collective", '[{"from": 0, "to": [2, 3]}, {"from": 8, "to": 1}]');
  await other("ports", "5");
  await other("routing", "+3");
  // The link between the routers 0 and 1, then one of its channels.
  const act = async (text) => { await page.fill("#break", text); await page.press("#break", "Enter"); };
  await act("0-1");
  await page.waitForFunction(() => /faults=r0-r1(&|$)/.test(location.hash));
  await idle(page);
  await act("r0-r1");
  await page.waitForFunction(() => !/faults=/.test(location.hash));
  await idle(page);
  await act("0,0→0,1");
  await page.waitForFunction(() => /faults=r0%3Ar1(&|$)/.test(location.hash));
  await idle(page);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("an address brings everything back", async () => {
  const page = await open(browser, hash({ network: "ring:6", collective: "aab", switching: "sf", ports: "1", faults: "r0-r1", step: "2" }));
  await shown(page);
  await idle(page);
  assert.equal(await page.inputValue("#switching"), "sf");
  assert.equal(await page.getAttribute("#player", "data-step"), "2");
  assert.equal(await page.locator(".broken path").count(), 1);
  const text = await page.textContent("#facts");
  const again = await open(browser, page.url());
  await shown(again);
  await idle(again);
  assert.equal(await again.textContent("#facts"), text);
  assert.deepEqual([...page.errors, ...again.errors], []);
  await page.close();
  await again.close();
});

test("a pasted network is solved, and bad pastes are told", async () => {
  const page = await open(browser, hash({ text: "0 1\n1 2\n2 3\n3 0\n", collective: "oab" }));
  await shown(page);
  assert.match(await page.textContent("#title"), /broadcast on "pasted" \(/);
  for (const text of ["0 0", "graph {", "{\"routers\": -1}", "<graphml>", "0 1\n2 3", "\u0000\u0001", "a b c d e f g"]) {
    await page.fill("#text", text);
    await page.click("#find");
    await page.waitForSelector("#status.bad");
    assert.ok((await page.textContent("#status")).length > 10, text);
    await page.fill("#text", "0 1\n1 2\n");
    await page.click("#find");
    await page.waitForFunction(() => !document.querySelector("#status").className.match(/bad|busy/));
  }
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("a hundred quick clicks do not break it", async () => {
  const page = await open(browser, hash({ network: "torus:4x4", collective: "oab" }));
  await shown(page);
  for (let at = 0; at < 100; at++) {
    await page.evaluate((number) => {
      const all = document.querySelectorAll(number % 5 ? ".hits path" : ".nodes [data-r]");
      all[(number * 37) % all.length].dispatchEvent(new MouseEvent("click", { bubbles: true }));
      if (number % 17 === 0) document.querySelector(".play").click();
    }, at);
  }
  await idle(page);
  await page.evaluate(() => document.querySelector("#heal").click());
  await page.waitForFunction(() => document.querySelectorAll(".broken path, .nodes .lost").length === 0);
  await idle(page);
  assert.equal(await page.getAttribute("#player", "data-steps"), "2");
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("two schedules side by side, on a phone below each other", async () => {
  const page = await open(browser, hash({ network: "hypercube:3", collective: "aas" }));
  await shown(page);
  await page.click("#compare");
  await page.selectOption("#collective", "aab");
  await page.waitForSelector("#other .viewer");
  await idle(page);
  assert.equal(await page.locator(".viewer").count(), 2);
  // Both have the same scale, and their timelines are visible without scrolling.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.waitForFunction(() => {
    const [one, other] = ["#player", "#other"].map((id) => document.querySelector(`${id} .map svg`).getBoundingClientRect());
    const ends = [...document.querySelectorAll("#stages .timeline")].map((timeline) => timeline.getBoundingClientRect().bottom);
    return Math.abs(one.height - other.height) < 2 && ends.every((end) => end <= innerHeight);
  });
  // In step: the second schedule follows the first.
  await page.click("#player .next");
  await page.waitForFunction(() => document.querySelector("#player").dataset.step === "1" && /step 1 of/.test(document.querySelector("#other .where").textContent));
  // Whichever is used, the other follows.
  await page.click("#other .first");
  await page.waitForFunction(() => document.querySelector("#player").dataset.step === "0");
  await page.click("#other .next");
  await page.waitForFunction(() => document.querySelector("#player").dataset.step === "1");
  // The messages of both move while it plays.
  await page.click("#player .first");
  await page.click("#player .play");
  const isMoving = () => ["#player", "#other"].every((id) => [...document.querySelectorAll(`${id} .moving path`)].some((path) => path.getAttribute("d")));
  await page.waitForFunction(isMoving, undefined, { polling: 30 });
  await page.setViewportSize({ width: 375, height: 720 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 375, `${wide} points wide`);
  const again = await open(browser, page.url());
  await again.waitForSelector("#other .viewer");
  assert.match(await again.textContent("#other"), /all-to-all on hypercube:3/);
  assert.deepEqual([...page.errors, ...again.errors], []);
  await page.close();
  await again.close();
});

test("Stop ends a search and keeps its best schedule", async () => {
  const page = await open(browser, hash({ network: "ring:4", collective: "oab" }));
  await shown(page);
  await idle(page);
  // A problem that takes longer than a click, also with the optimised program.
  await page.fill("#network", "random-regular:60,5,1");
  await page.selectOption("#ports", "1");
  await page.selectOption("#collective", "all-to-all");
  // The search goes on after its first schedule.
  await page.waitForFunction(() => /best so far \d+/.test(document.querySelector("#status").textContent) && !document.querySelector("#stop").hidden);
  await page.click("#stop");
  await page.waitForFunction(() => /all-to-all on random-regular/.test(document.querySelector("#title").textContent));
  assert.match(await page.textContent("#status"), /\d+ steps, verified/);
  assert.equal(await page.isVisible("#stop"), false);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("a search scrolls to its result, and multicast wants its receivers", async () => {
  const page = await open(browser, hash({ network: "mesh:3x3", collective: "broadcast" }), { width: 1440, height: 900 });
  await shown(page);
  await idle(page);
  const isVisible = () => { const box = document.querySelector("#player .play").getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; };
  assert.ok(await page.evaluate(isVisible));
  // On narrow screens the schedule is below the editor.
  await page.setViewportSize({ width: 1100, height: 900 });
  await page.click("#more > summary");
  await page.click("#edit");
  await page.evaluate(() => scrollTo(0, 0));
  assert.equal(await page.evaluate(isVisible), false);
  await page.fill("#seed", "7");
  await page.click("#find");
  await page.waitForFunction(isVisible);
  // A router by its name.
  const before = await job(page);
  await page.fill("#break", "1,1");
  await page.press("#break", "Enter");
  await page.waitForFunction((old) => document.querySelector("#player").dataset.job !== old, before);
  await idle(page);
  assert.match(await page.textContent("#mended"), /missing: processor 1,1/);
  await page.click("#more > summary");
  await page.selectOption("#collective", "multicast");
  assert.match(await page.textContent("#status"), /multicast: write the receivers/);
  assert.equal(await page.evaluate(() => document.activeElement.id), "receivers");
  await page.keyboard.type("3,5");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /multicast on mesh:3x3/.test(document.querySelector("#title").textContent));
  // The list has today's names; the papers' are in a group of their own.
  assert.deepEqual(await page.locator("#collective > option").allTextContents().then((all) => all.filter((name) => name.length === 3)), []);
  assert.match(await page.textContent("#collective optgroup"), /aas: all-to-all scatter/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("chunks are solved, and their gain is shown", async () => {
  const page = await open(browser, hash({ network: "ring:4", collective: "all-gather" }));
  await shown(page);
  assert.equal(await page.isVisible("#gain"), false);
  const before = await job(page);
  await page.fill("#chunks", "2");
  await page.press("#chunks", "Enter");
  await page.waitForFunction((old) => document.querySelector("#player").dataset.job !== old, before);
  await idle(page);
  assert.match(await page.textContent("#gain"), /3\/2 steps per message; equals the throughput limit 3\/2/);
  assert.match(page.url(), /chunks=2/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("the button finds a slot table, plays it, and the judge accepts the file", async () => {
  const page = await open(browser, hash({ network: "torus:3x3", collective: "oab" }));
  await shown(page);
  await page.click("#chip > summary");
  await page.click("#slot-find");
  await page.waitForSelector("#slot-result:not([hidden])");
  assert.match(await page.textContent("#slot-facts"), /period 9 slots, optimal/);
  assert.match(await page.textContent("#slot-player .where"), /slot 0 of 0–8/);
  await page.click("#slot-player .next");
  assert.match(await page.textContent("#slot-player .where"), /slot 1 of 0–8/);
  await page.click("#slot-result summary");
  await page.waitForFunction(() => document.querySelector("#slot-picture").naturalWidth > 100);
  const [download] = await Promise.all([page.waitForEvent("download"), page.selectOption("#slot-download", "json")]);
  assert.equal(download.suggestedFilename(), "tdm-torus-3x3.json");
  const file = join(folder, "tdm.json");
  await download.saveAs(file);
  assert.match(pavane("verify", file), /valid TDM schedule with a period of 9 slots/);
  await page.fill("#traffic", "0,1,many");
  await page.click("#slot-find");
  await page.waitForSelector("#slot-status.bad");
  assert.match(await page.textContent("#slot-status"), /"many" is not a whole number for weight/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("the button computes the throughput, and the judge accepts the plan", async () => {
  const page = await open(browser, hash({ network: "ring:4", collective: "all-gather", bytes: "1GB", bandwidth: "50GB/s" }));
  await shown(page);
  await page.click("#rate-find");
  await page.waitForSelector("#rate-result:not([hidden])");
  const text = await page.textContent("#rate-lines");
  for (const part of [/bus bandwidth 100\.00 GB\/s/, /3 shards must enter router/, /throughput-optimal/, /7500\.00 µs/]) assert.match(text, part);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#rate-plan")]);
  assert.equal(download.suggestedFilename(), "all-gather-ring-4-throughput.json");
  const file = join(folder, "plan.json");
  await download.saveAs(file);
  assert.equal(JSON.parse(readFileSync(file, "utf8")).format, "pavane/throughput/1");
  assert.match(pavane("verify", file), /valid/);
  // A wrong size is reported as text, and the old result is hidden.
  await page.fill("#bytes", "lots");
  await page.click("#rate-find");
  await page.waitForSelector("#rate-status.bad");
  assert.match(await page.textContent("#rate-status"), /"lots" is not a size/);
  assert.equal(await page.isVisible("#rate-result"), false);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("a table of the papers comes row by row", async () => {
  const page = await open(browser, hash({ network: "ring:4", collective: "oab" }));
  await shown(page);
  await page.click("#papers summary");
  await page.selectOption("#table", { index: 1 });
  await page.click("#run");
  await page.waitForSelector("#rows tbody tr");
  await page.click("#run");
  await page.waitForFunction(() => document.querySelector("#run").textContent === "Run");
  assert.deepEqual(page.errors, []);
  await page.close();
});

/** Where a job ends. */
async function end(id) {
  const response = await fetch(api(`jobs/${id}/events`));
  const news = (await response.text()).split("\n").filter((line) => line.startsWith("data:"));
  return JSON.parse(news.at(-1).slice(5));
}

const ask = async (request) => (await (await fetch(api("jobs"), { method: "POST", body: JSON.stringify(request) })).json()).job;

test("fifty requests at once are all answered, in little memory", async () => {
  const networks = ["mesh:4x4", "torus:4x4", "hypercube:4", "octagon:8", "kautz:3,2"];
  const wishes = Array.from({ length: 50 }, (_, at) => ({ kind: "solve", network: networks[at % 5], collective: at % 2 ? "oab" : "aas", seed: at + 1 }));
  const jobs = await Promise.all(wishes.map(ask));
  const ends = await Promise.all(jobs.map(end));
  assert.deepEqual(ends.filter((news) => news.state !== "done"), []);
  const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
  const most = Number(status.match(/VmHWM:\s*(\d+)/)[1]) / 1024;
  console.log(`fifty requests: all answered, at most ${most.toFixed(0)} MB`);
  assert.ok(most < 500);
});

test("a job can be cancelled", async () => {
  const id = await ask({ kind: "solve", network: "random-regular:200,3,1", collective: "aas" });
  await fetch(api(`jobs/${id}/cancel`), { method: "POST" });
  assert.ok(["failed", "done"].includes((await end(id)).state));
});

test("foreign hosts, origins and tokens are refused", async () => {
  const status = (path, headers) => new Promise((resolve, reject) => {
    const url = new URL(path, server.base);
    const asked = request({ host: url.hostname, port: url.port, path: url.pathname + url.search, headers }, (response) => {
      response.resume();
      resolve(response);
    });
    asked.on("error", reject);
    asked.end();
  });
  const good = `/?token=${server.token}`;
  const page = await status(good, {});
  assert.equal(page.statusCode, 200);
  assert.match(page.headers["content-security-policy"], /script-src 'self';/);
  assert.doesNotMatch(page.headers["content-security-policy"], /unsafe/);
  for (const [path, headers] of [
    ["/", {}], ["/?token=", {}], [`/?token=${"0".repeat(32)}`, {}], ["/api/choices", {}],
    [good, { host: "evil.example" }], [good, { origin: "http://evil.example" }], [good, { origin: "null" }],
  ]) {
    assert.equal((await status(path, headers)).statusCode, 403, `${path} ${JSON.stringify(headers)}`);
  }
  const large = await fetch(api("jobs"), { method: "POST", body: "x".repeat(3 << 20) });
  assert.equal(large.status, 413);
});

// The page of a schedule in a real browser, from a disk: one of every network family, and a TDM schedule.
import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, launch, open, pavane } from "./common.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

/** The page of a schedule. */
function page(network, collective, ...more) {
  const path = join(folder, `${network}-${collective}`.replaceAll(/[^a-z0-9.-]/g, "_"));
  pavane("solve", network, collective, "--time", "1s", "--quiet", "-o", path + ".json", ...more);
  pavane("draw", path + ".json", "-o", path + ".html", "--quiet");
  return path + ".html";
}

const families = JSON.parse(pavane("networks", "--json")).map((family) => family.example);
assert.ok(families.length > 30);

for (const network of families) {
  test(`the page of ${network} plays to its end`, async () => {
    const shown = await open(browser, "file://" + page(network, "oab"));
    const last = Number(await shown.getAttribute(".timeline input", "max"));
    await shown.selectOption(".speed select", "60");
    if (last > 0) await shown.click(".play");
    // A page that is not painted has no frames, so the test looks at it by the clock.
    await shown.waitForFunction((step) => document.querySelector("#player").dataset.step === String(step), last, { polling: 50 });
    assert.match(await shown.textContent(".facts"), /bound/);
    assert.deepEqual(shown.errors, []);
    await shown.close();
  });
}

test("keys, scrubbing, following and filtering", async () => {
  const path = page("hypercube:5", "aas");
  assert.ok(statSync(path).size < 1e6, "the page is under 1 MB");
  const shown = await open(browser, "file://" + path);
  const step = () => shown.getAttribute("#player", "data-step").then(Number);
  await shown.keyboard.press("End");
  assert.equal(await step(), 15);
  await shown.keyboard.press("ArrowLeft");
  assert.equal(await step(), 14);
  await shown.keyboard.press("Home");
  assert.equal(await step(), 0);
  await shown.fill(".timeline input", "7");
  assert.equal(await step(), 7);
  // A message under the pointer in the list is highlighted on the network.
  await shown.hover(".transfers li:nth-child(3) button");
  assert.ok(await shown.locator(".paths path.hot").count() > 0);
  assert.match(await shown.textContent(".followed"), /message \d+→\d+: from processor/);
  const named = await open(browser, "file://" + page("mesh:4x4", "aas"));
  await named.hover(".transfers li:nth-child(2) button");
  assert.match(await named.textContent(".followed"), /message (\d,\d)→\d,\d: from processor \1 to/);
  await shown.mouse.move(2, 2);
  // So are the messages of a channel under the pointer.
  const channel = shown.locator(".hits path").nth(4);
  await channel.dispatchEvent("pointerover");
  assert.ok(await shown.locator(".paths path.hot").count() > 0);
  await shown.selectOption(".filter select", "3");
  const own = await shown.locator(".transfers li").count();
  assert.ok(own > 0 && own <= 5, `a processor has 5 ports, but sends ${own}`);
  assert.deepEqual(shown.errors, []);
  await shown.close();
});

test("the page of a TDM schedule plays a period, slot by slot", async () => {
  const path = join(folder, "tdm");
  pavane("tdm", "torus:3x3", "--threads", "1", "-o", path + ".json");
  pavane("draw", path + ".json", "-o", path + ".html", "--quiet");
  const shown = await open(browser, "file://" + path + ".html");
  assert.match(await shown.textContent(".facts"), /period 9 slots, optimal/);
  await shown.selectOption(".speed select", "60");
  await shown.click(".play");
  await shown.waitForFunction(() => document.querySelector("#player").dataset.step === "8", undefined, { polling: 50 });
  assert.match(await shown.textContent(".where"), /slot 8 of 0–8/);
  assert.match(await shown.textContent(".legend"), /sends a word.*receives a word.*colour of its receiver/);
  await shown.selectOption(".filter select", "4");
  // Every word on a channel in this slot is on its way to processor 4.
  assert.match(await shown.textContent(".side h2"), /of this receiver/);
  await shown.click("details summary");
  assert.match(await shown.textContent("details p"), /a column for every slot, in the colour of the receiver/);
  assert.deepEqual(shown.errors, []);
  await shown.close();
});

/** Moves the slider for `frames` frames; returns the steps shown per second and the milliseconds of script per step. */
async function scrub(frames) {
  const slider = document.querySelector(".timeline input");
  let work = 0;
  const start = performance.now();
  for (let at = 0; at < frames; at++) {
    const before = performance.now();
    slider.value = String(at % 16);
    slider.dispatchEvent(new Event("input"));
    document.querySelector(".paths").getBoundingClientRect();
    work += performance.now() - before;
    await new Promise(requestAnimationFrame);
  }
  return [(frames * 1000) / (performance.now() - start), work / frames].map((figure) => figure.toFixed(1));
}

test("scrubbing shows every step, and prints the rate", async () => {
  const path = "file://" + page("hypercube:5", "aas");
  const unlimited = await launch("--disable-frame-rate-limit", "--disable-gpu-vsync");
  for (const [name, owner] of [["at most 60 frames", browser], ["unlimited frames", unlimited]]) {
    const shown = await open(owner, path);
    const [rate, each] = await shown.evaluate(scrub, 120);
    console.log(`scrubbing hypercube:5 aas, ${name} per second: ${rate} steps per second, ${each} ms of script for each`);
    assert.equal(await shown.getAttribute("#player", "data-step"), String(119 % 16));
    assert.deepEqual(shown.errors, []);
    await shown.close();
  }
  await unlimited.close();
});

test("names from a file are texts, never markup", async () => {
  const file = join(folder, "names.dot");
  writeFileSync(file, 'graph { "<img src=x onerror=alert(1)>" -- "b&b"; "b&b" -- "</script>"; }');
  const shown = await open(browser, "file://" + page(file, "aas"));
  await shown.keyboard.press("End");
  assert.match(await shown.textContent(".transfers"), /<img src=x/);
  assert.equal(await shown.locator("img").count(), 0);
  assert.deepEqual(shown.errors, []);
  await shown.close();
});

test("picture and controls fit into a small frame, and every step moves", async () => {
  const path = "file://" + page("mesh:4x4", "oab");
  for (const height of [620, 500]) {
    const shown = await open(browser, path, { width: 750, height });
    assert.match(await shown.textContent("h1"), /^broadcast on mesh:4x4$/);
    const [play, end, picture] = await shown.evaluate(() => [".play", ".timeline", ".map svg"].map((name) => document.querySelector(name).getBoundingClientRect().toJSON()));
    assert.ok(play.top >= 0 && play.bottom <= height, `Play ends at ${play.bottom} of ${height}`);
    assert.ok(end.bottom <= height, `the timeline ends at ${end.bottom} of ${height}`);
    assert.ok(picture.height >= 160);
    // The messages of the first step move before the second is shown.
    await shown.click(".play");
    await shown.waitForFunction(() => [...document.querySelectorAll(".moving path")].some((dot) => dot.getAttribute("d")), undefined, { polling: 20 });
    assert.equal(await shown.getAttribute("#player", "data-step"), "0");
    assert.deepEqual(shown.errors, []);
    await shown.close();
  }
  // A schedule of one step can be played.
  const one = await open(browser, "file://" + page("complete:4", "oab"));
  await one.click(".play");
  await one.waitForFunction(() => [...document.querySelectorAll(".moving path")].some((dot) => dot.getAttribute("d")), undefined, { polling: 20 });
  await one.waitForFunction(() => document.querySelector(".play").getAttribute("aria-label").startsWith("Play"));
  await one.close();
});

test("nothing is wider than a phone, light or dark", async () => {
  for (const scheme of ["light", "dark"]) {
    const shown = await open(browser, "file://" + page("mesh:4x4", "oab"), { width: 375, height: 720 }, scheme);
    const wide = await shown.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 375, `${wide} points wide`);
    const paper = await shown.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(paper, scheme === "dark" ? "rgb(20, 23, 28)" : "rgb(255, 255, 255)");
    await shown.close();
  }
});

test("too much to play becomes a still picture", async () => {
  const shown = await open(browser, "file://" + page("hypercube:13", "oab"));
  assert.match(await shown.textContent(".note"), /still picture/);
  assert.equal(await shown.locator(".still svg").count(), 1);
  assert.deepEqual(shown.errors, []);
  await shown.close();
});

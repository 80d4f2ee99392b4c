// Every view of the studio against the rules of axe, light and dark, from phones to wide screens; and what the keyboard
// can do.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder, launch, open, pavane, studio } from "./common.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let browser;
let server;
before(async () => { [browser, server] = await Promise.all([launch(), studio()]); });
after(async () => { await browser.close(); server.child.removeAllListeners("exit"); server.child.kill(); });

const hash = (parts) => server.address + "#" + new URLSearchParams(parts);
const shown = (page) => page.waitForSelector("#player[data-steps]");
const idle = (page) => page.waitForFunction(() => !document.querySelector("#status").classList.contains("busy"));

/** The violations of a page, and how many rules it passes. */
async function examined(page) {
  await page.evaluate(axe);
  const { violations, passes } = await page.evaluate(() => axe.run());
  const told = violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).slice(0, 4).join(", ")}`);
  return [told, passes.length];
}

/** Fails if a page breaks a rule, or is wider than the screen, at one of these widths. */
async function examineAt(page, widths) {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} points wide instead of ${width}`);
    const [violations, passes] = await examined(page);
    assert.deepEqual(violations, [], `${width} points`);
    assert.ok(passes > 10, `only ${passes} rules apply`);
  }
  assert.deepEqual(page.errors, []);
}

for (const scheme of ["light", "dark"]) {
  test(`no view breaks a rule of axe, ${scheme}, 390 to 2560 points wide`, async () => {
    const values = { network: "ring:4", collective: "all-gather", "time-bytes": "1MB", "contest-bytes": "1MB", "tune-bytes": "1KB..1MB", "tune-factor": "1000", "front-chunks": "2" };
    const page = await open(browser, hash(values), { width: 1440, height: 900 }, scheme);
    await shown(page);
    await idle(page);
    await page.evaluate(() => { for (const one of document.querySelectorAll("details")) one.open = true; });
    await page.selectOption("#deadlock-routing", "shortest");
    for (const name of ["bounds", "heat", "time", "contest", "tune", "front", "rate", "slot", "traffic", "deadlock"]) {
      await page.click(`#${name}-find`);
      await page.waitForFunction((name) => document.querySelector(`#${name}-status`).textContent === "verified", name);
    }
    await page.click("#front-rows [data-point='0']");
    await page.waitForSelector("#front-played:not([hidden])");
    await page.click("#contest-sizes button >> nth=0");
    await page.waitForSelector("#contest-played:not([hidden])");
    // A broken link: banners, and repaired schedules and plans.
    await page.locator("#player .hits path[data-c='0']").dispatchEvent("click");
    await page.waitForFunction(() => ["time", "rate"].every((name) => /still valid/.test(document.querySelector(`#${name}-lines`).textContent)));
    await idle(page);
    // The editor, with the properties of a router and of a link.
    await page.click("#edit");
    await page.waitForFunction(() => document.querySelector("#canvas").dataset.routers === "4");
    await page.focus("#canvas [data-part=r0]");
    await examineAt(page, [390, 768, 1440, 2560]);
    await page.close();
  });
}

for (const scheme of ["light", "dark"]) {
  test(`two schedules side by side, tables, errors and pages break no rule of axe, ${scheme}`, async () => {
    const page = await open(browser, hash({ network: "ring:4", collective: "oab" }), { width: 1440, height: 900 }, scheme);
    await shown(page);
    await idle(page);
    await page.click("#compare");
    await page.selectOption("#collective", "all-gather");
    await page.waitForSelector("#other .viewer");
    await idle(page);
    await page.evaluate(() => { for (const id of ["costs", "papers"]) document.getElementById(id).open = true; });
    await page.selectOption("#heat-unit", "GB/s");
    await page.click("#heat-find");
    await page.waitForFunction(() => document.querySelector("#heat-status").textContent === "verified");
    await page.selectOption("#table", { index: 1 });
    await page.click("#run");
    await page.waitForSelector("#rows tbody tr");
    await page.click("#run");
    await page.waitForFunction(() => document.querySelector("#run").textContent === "Run");
    await page.fill("#break", "9 – 9");
    await page.press("#break", "Enter");
    await page.waitForSelector("#status.bad");
    await page.click("#edit");
    await page.waitForFunction(() => document.querySelector("#canvas").dataset.routers === "4");
    await page.focus("#canvas [data-part=e0]");
    await examineAt(page, [390, 1024, 2560]);
    await page.close();
    const file = join(folder, `page-${scheme}`);
    pavane("solve", "mesh:3x3", "oab", "--quiet", "-o", `${file}.html`);
    const player = await open(browser, `file://${file}.html`, { width: 1440, height: 900 }, scheme);
    await examineAt(player, [390, 2560]);
    await player.close();
  });
}

test("links and routers are removed and restored by keyboard", async () => {
  const page = await open(browser, hash({ network: "mesh:3x3", collective: "oab" }));
  await shown(page);
  const act = async (text) => { await page.fill("#break", text); await page.press("#break", "Enter"); };
  await act("0,0 – 1,0");
  await page.waitForFunction(() => document.querySelectorAll("#player .broken path").length === 1);
  await idle(page);
  await act("router 1,1");
  await page.waitForFunction(() => document.querySelectorAll("#player .nodes .lost").length === 1);
  await idle(page);
  await act("1,0 - 0,0");
  await page.waitForFunction(() => document.querySelectorAll("#player .nodes .lost").length === 1 && /faults=r4(&|$)/.test(location.hash));
  await idle(page);
  await act("9,9");
  await page.waitForSelector("#status.bad");
  assert.match(await page.textContent("#status"), /the network has no link or router 9,9/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("a repair keeps the number of steps if it must", async () => {
  const page = await open(browser, hash({ network: "ring:6", collective: "all-gather" }));
  await shown(page);
  await idle(page);
  const steps = Number(await page.getAttribute("#player", "data-steps"));
  const act = async () => { await page.fill("#break", "0 – 1"); await page.press("#break", "Enter"); };
  await page.check("#keep-steps");
  await act();
  await page.waitForSelector("#status.bad");
  assert.match(await page.textContent("#status"), new RegExp(`fault 0–1: .*${steps} steps`));
  assert.equal(await page.locator("#player .broken path").count(), 0, "the fault is undone");
  await page.uncheck("#keep-steps");
  await act();
  await page.waitForSelector("#mended:not([hidden])");
  await idle(page);
  assert.ok(Number(await page.getAttribute("#player", "data-steps")) > steps);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("names of large networks are readable, or those of their groups", async () => {
  for (const [network, kind] of [["fat-tree:8", "names"], ["dragonfly:4,8,4", "groups"], ["nvl72", "names"], ["slim-fly:5", "names"], ["hypercube:7", "names"]]) {
    const page = await open(browser, hash({ network, collective: "oab" }), { width: 1440, height: 900 });
    await shown(page);
    await page.waitForSelector("#player .map[data-labels]");
    assert.equal(await page.getAttribute("#player .map", "data-labels"), kind, network);
    /** The boxes of all names on the screen, with their font sizes. */
    const boxes = () => page.evaluate(() => [...document.querySelectorAll("#player :is(.names, .group-names) text")].filter((text) => text.getClientRects().length).map((text) => {
      const { x, y, width } = text.getBoundingClientRect();
      return { text: text.textContent, x, y, width, size: parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a };
    }));
    const all = await boxes();
    assert.ok(all.length >= (kind === "groups" ? 33 : 50), `${network}: ${all.length} names`);
    if (kind === "groups") {
      // The names of groups cover no router.
      const covered = await page.evaluate(() => {
        const discs = [...document.querySelectorAll("#player .nodes [data-r]")].map((disc) => disc.getBoundingClientRect());
        const names = [...document.querySelectorAll("#player .group-names text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
        const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];
        return names.filter(([, box]) => discs.some((disc) => { const [x, y] = middle(disc); return x > box.left && x < box.right && y > box.top && y < box.bottom; })).map(([name]) => name);
      });
      assert.deepEqual(covered, [], network);
    }
    for (const { text, size } of all) assert.ok(size >= 7.9999, `${network}: ${text} has ${size} pixels`);
    all.forEach((one, at) => all.slice(at + 1).forEach((other) => {
      const isApart = one.x + one.width <= other.x + 0.5 || other.x + other.width <= one.x + 0.5 || Math.abs(one.y - other.y) >= 0.72 * Math.min(one.size, other.size);
      assert.ok(isApart, `${network}: ${one.text} and ${other.text} overlap`);
    }));
    if (network === "fat-tree:8") {
      // The names of hosts are below both of their rows.
      const covered = await page.evaluate(() => {
        const hosts = [...document.querySelectorAll("#player .nodes circle[data-r]")].map((disc) => disc.getBoundingClientRect());
        const lowest = Math.max(...hosts.map((box) => box.bottom));
        const names = [...document.querySelectorAll("#player .names text")].filter((text) => text.getClientRects().length && Number(text.textContent) < 128);
        return [names.length, names.filter((text) => text.getBoundingClientRect().bottom < lowest).map((text) => text.textContent)];
      });
      assert.deepEqual(covered, [32, []], network);
    }
    // Nearer, the names of routers come back.
    for (let at = 0; at < 6; at++) await page.keyboard.press("+");
    assert.equal(await page.getAttribute("#player .map", "data-labels"), "names", network);
    assert.ok(Number(await page.getAttribute("#player .map", "data-letters")) >= 7.95, network);
    assert.deepEqual(page.errors, []);
    await page.close();
  }
});

test("on a phone, names of a wide network are readable, inside the picture, and not cut", async () => {
  for (const network of ["fat-tree:8", "nvl72"]) {
    const page = await open(browser, hash({ network, collective: "oab" }), { width: 390, height: 844 });
    await shown(page);
    await page.waitForSelector("#player .map[data-labels]");
    const outside = await page.evaluate(() => {
      const map = document.querySelector("#player .map").getBoundingClientRect();
      const shown = [...document.querySelectorAll("#player :is(.names, .group-names) text")].filter((text) => text.getClientRects().length);
      const all = shown.map((text) => [text.textContent, text.getBoundingClientRect()]);
      return [all.length, all.filter(([, box]) => box.top < map.top - 1 || box.bottom > map.bottom + 1 || box.left < map.left - 1 || box.right > map.right + 1).map(([text]) => text)];
    });
    assert.ok(outside[0] > 20, `${network}: ${outside[0]} names`);
    assert.deepEqual(outside[1], [], network);
    const overlapping = await page.evaluate(() => {
      const shown = [...document.querySelectorAll("#player :is(.names, .group-names) text")].filter((text) => text.getClientRects().length);
      const all = shown.map((text) => [text.textContent, text.getBoundingClientRect(), parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a]);
      const isApart = ([, a, one], [, b, other]) => a.right <= b.left + 0.5 || b.right <= a.left + 0.5 || Math.abs(a.top - b.top) >= 0.72 * Math.min(one, other);
      return all.flatMap((one, at) => all.slice(at + 1).filter((other) => !isApart(one, other)).map((other) => `${one[0]} and ${other[0]}`));
    });
    assert.deepEqual(overlapping, [], network);
    assert.ok(Number(await page.getAttribute("#player .map", "data-letters")) >= 7.95, network);
    assert.deepEqual(page.errors, []);
    await page.close();
  }
});

test("back and forward go from problem to problem", async () => {
  const page = await open(browser, hash({ network: "ring:4", collective: "oab" }));
  await shown(page);
  const title = (text) => page.waitForFunction((text) => document.querySelector("#title").textContent === text && !document.querySelector("#status").classList.contains("busy"), text);
  await page.fill("#network", "ring:5");
  await page.click("#find");
  await title("broadcast on ring:5");
  await page.selectOption("#collective", "aab");
  await title("all-gather on ring:5");
  await page.click("#player .next");
  await page.waitForFunction(() => /step=1/.test(location.hash));
  await page.goBack();
  await title("broadcast on ring:5");
  await page.goBack();
  await title("broadcast on ring:4");
  await page.goForward();
  await title("broadcast on ring:5");
  assert.equal(await page.inputValue("#network"), "ring:5");
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("the picture stays where it is, with its controls in sight, and can be zoomed and moved", async () => {
  const page = await open(browser, hash({ network: "mesh:4x4", collective: "aas" }), { width: 1440, height: 900 });
  await shown(page);
  await idle(page);
  const place = () => page.locator("#player .map").boundingBox();
  const first = await place();
  const slider = await page.locator("#player .timeline input").boundingBox();
  assert.ok(slider.y + slider.height <= 900, `the timeline ends at ${slider.y + slider.height}`);
  await page.locator("#player .hits path[data-c='20']").dispatchEvent("click");
  await page.waitForSelector("#mended:not([hidden])");
  await idle(page);
  assert.deepEqual(await place(), first, "a repair does not move the picture");
  const view = () => page.getAttribute("#player .map svg:nth-child(2)", "viewBox");
  const whole = await view();
  await page.keyboard.press("+");
  const near = await view();
  assert.notEqual(near, whole);
  assert.equal(await page.getAttribute("#player", "data-zoom"), "1.50");
  // The zoomed picture uses the room beside the square that it was.
  const wide = await page.evaluate(() => {
    const svg = document.querySelector("#player .map svg:nth-child(2)");
    const drawn = [...svg.querySelectorAll(".nodes circle")].map((disc) => disc.getBoundingClientRect());
    const room = svg.getBoundingClientRect();
    return [room.width / document.querySelector("#player .stage").clientWidth, (Math.max(...drawn.map((box) => box.right)) - Math.min(...drawn.map((box) => box.left))) / room.height];
  });
  assert.ok(wide[0] > 0.9, `the layers have ${wide[0]} of the width`);
  assert.ok(wide[1] > 1.2, `the picture is ${wide[1]} times as wide as high`);
  await page.mouse.move(first.x + 300, first.y + 200);
  await page.mouse.down();
  await page.mouse.move(first.x + 250, first.y + 150, { steps: 4 });
  await page.mouse.up();
  assert.notEqual(await view(), near, "a drag moves the picture");
  assert.equal(await page.locator("#player .broken path").count(), 1, "a drag is no click");
  await page.click("#player .whole");
  assert.equal(await view(), whole);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("nothing moves while a search runs or after an error, and errors have the names of the picture", async () => {
  for (const width of [1440, 1280, 390]) {
    const page = await open(browser, hash({ network: "mesh:3x3", collective: "all-gather" }), { width, height: 900 });
    await shown(page);
    await idle(page);
    const top = () => page.evaluate(() => document.querySelector("#player").getBoundingClientRect().top + scrollY);
    const before = await top();
    // Every change of the status line is observed.
    await page.evaluate(() => {
      const place = () => document.querySelector("#player").getBoundingClientRect().top + scrollY;
      window.tops = [];
      window.stops = 0;
      new MutationObserver(() => { window.tops.push(place()); window.stops += Number(!document.querySelector("#stop").hidden); })
        .observe(document.querySelector("#status"), { attributes: true, childList: true });
    });
    await page.click("#find");
    await page.waitForFunction(() => window.stops > 0);
    await idle(page);
    assert.deepEqual([...new Set(await page.evaluate(() => window.tops))], [before], `${width}`);
    assert.equal(await page.getAttribute("#break", "placeholder"), "0,0 – 1,0");
    assert.match(await page.textContent(".filter"), /processor 2,2/);
    if (width !== 390) {
      for (const part of ["0,0-0,1", "0,0-1,0"]) {
        const old = await page.textContent("#status");
        await page.fill("#break", part);
        await page.press("#break", "Enter");
        await page.waitForFunction((old) => document.querySelector("#status").textContent !== old && !document.querySelector("#status").classList.contains("busy"), old);
      }
      const told = await page.textContent("#status");
      assert.match(told, /^fault 0,0–1,0: .*disconnect/);
      assert.match(told, /\ndisconnected: 0,0 → 0,1\n/);
      assert.equal(await top(), before, `${width}`);
      await page.fill("#break", "9,9");
      await page.press("#break", "Enter");
      await page.waitForFunction(() => /write 0,0 – 1,0 for a link or 2,2 for a router/.test(document.querySelector("#status").textContent));
    }
    assert.deepEqual(page.errors, []);
    await page.close();
  }
});

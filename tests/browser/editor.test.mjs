// Networks that are drawn with the mouse or the keyboard in the studio: solved, saved as files, and undone.
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
const sizes = (page, routers, edges) => page.waitForFunction(([routers, edges]) => {
  const { dataset } = document.querySelector("#canvas");
  return dataset.routers === String(routers) && dataset.edges === String(edges);
}, [routers, edges]);
const tool = (page, name) => page.check(`#editor [name=tool][value=${name}]`);

/** The middle of a part on the screen. */
async function middle(page, part) {
  const { x, y, width, height } = await page.locator(`#canvas [data-part=${part}] :is(circle, rect)`).boundingBox();
  return [x + width / 2, y + height / 2];
}

async function drag(page, from, to) {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 5 });
  await page.mouse.up();
}

/** Opens the editor, without the network of the form. */
async function begin(network) {
  const page = await open(browser, hash({ network, collective: "all-gather" }), { width: 1440, height: 1000 });
  await shown(page);
  await page.click("#edit");
  await page.waitForFunction(() => Number(document.querySelector("#canvas").dataset.routers) > 0);
  return page;
}

async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  assert.equal(download.suggestedFilename(), `${name}.json`);
  const file = join(folder, `${name}.json`);
  await download.saveAs(file);
  return [file, JSON.parse(readFileSync(file, "utf8"))];
}

/** Finds a schedule on the network that was drawn. */
async function use(page) {
  const before = await page.getAttribute("#player", "data-job");
  await page.click("#use");
  await page.waitForFunction((old) => document.querySelector("#player").dataset.job !== old && !document.querySelector("#status").classList.contains("busy"), before);
}

test("a network is drawn with the mouse, solved and saved", async () => {
  const page = await begin("ring:3");
  await page.click("#clear");
  await sizes(page, 0, 0);
  const { x, y } = await page.locator("#canvas").boundingBox();
  await tool(page, "router");
  for (const [left, top] of [[150, 100], [350, 100], [350, 300], [150, 300]]) await page.mouse.click(x + left, y + top);
  await sizes(page, 4, 0);
  // By dragging, and by clicking one router after the other.
  await tool(page, "link");
  for (const [from, to] of [["r0", "r1"], ["r1", "r2"], ["r2", "r3"]]) await drag(page, await middle(page, from), await middle(page, to));
  await page.mouse.click(...await middle(page, "r3"));
  await page.mouse.click(...await middle(page, "r0"));
  await sizes(page, 4, 4);
  await drag(page, await middle(page, "r0"), await middle(page, "r2"));
  await sizes(page, 4, 5);
  await tool(page, "delete");
  const [a, b] = [await middle(page, "r0"), await middle(page, "r2")];
  await page.mouse.click((2 * a[0] + b[0]) / 3, (2 * a[1] + b[1]) / 3);
  await sizes(page, 4, 4);
  // A router takes its links along.
  await page.mouse.click(...await middle(page, "r3"));
  await sizes(page, 3, 2);
  await page.click("#undo");
  await sizes(page, 4, 4);
  await page.click("#redo");
  await sizes(page, 3, 2);
  await page.click("#undo");
  await tool(page, "move");
  const before = await middle(page, "r2");
  await drag(page, before, [before[0] + 60, before[1] + 40]);
  const moved = await middle(page, "r2");
  assert.ok(moved[0] > before[0] + 30 && moved[1] > before[1] + 20, `${before} to ${moved}`);
  await page.keyboard.press("Control+z");
  const back = await middle(page, "r2");
  assert.ok(Math.hypot(back[0] - before[0], back[1] - before[1]) < 2, "one undo for the whole drag");
  const [file, written] = await saved(page, "drawn");
  assert.deepEqual([written.format, written.routers, written.links.length], ["pavane/network/1", 4, 4]);
  assert.equal(JSON.parse(pavane("networks", file, "--json")).routers, 4);
  await use(page);
  assert.match(await page.textContent("#title"), /all-gather on "drawn"/);
  assert.equal(await page.getAttribute("#player", "data-steps"), JSON.stringify(JSON.parse(pavane("solve", file, "all-gather", "--json")).steps));
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("a network is drawn with the keyboard", async () => {
  const page = await begin("ring:3");
  await page.click("#clear");
  await page.focus("#canvas");
  for (let at = 0; at < 3; at++) await page.keyboard.press("n");
  await sizes(page, 3, 0);
  const focused = () => page.evaluate(() => document.activeElement.dataset.part);
  assert.equal(await focused(), "r2");
  const join = async (from, to) => {
    await page.focus(`#canvas [data-part=${from}]`);
    await page.keyboard.press("l");
    await page.focus(`#canvas [data-part=${to}]`);
    await page.keyboard.press("l");
  };
  await join("r0", "r1");
  await join("r1", "r2");
  await sizes(page, 3, 2);
  assert.equal(await page.getAttribute("#canvas [data-part=r1]", "aria-label"), "router 1, linked to 0, 2");
  const place = () => page.getAttribute("#canvas [data-part=r2]", "transform");
  const before = await place();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await focused(), "r2", "a router that moves keeps the focus");
  assert.notEqual(await place(), before);
  await page.keyboard.press("Control+z");
  assert.equal(await place(), before);
  assert.equal(await page.getAttribute("#player", "data-step"), "0", "the keys of the player do not apply");
  // A link is a part, too; links come before routers.
  await page.focus("#canvas [data-part=e1]");
  await page.keyboard.press("Delete");
  await sizes(page, 3, 1);
  await page.keyboard.press("Control+z");
  await sizes(page, 3, 2);
  await page.focus("#canvas [data-part=r1]");
  await page.fill("#router-name", "hub");
  await page.fill("#router-processors", "0");
  await page.press("#router-processors", "Tab");
  const [, written] = await saved(page, "drawn");
  assert.deepEqual([written.routers, written.processors], [["0", "hub", "2"], [0, 2]]);
  await use(page);
  assert.match(await page.textContent("#status"), /verified/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test("the network of the form is edited, with its bandwidths and one-way channels", async () => {
  const page = await begin("dgx-a100:2");
  await sizes(page, 36, 48);
  assert.equal(await page.inputValue("#editor-name"), "dgx-a100:2");
  const [file] = await saved(page, "dgx-a100-2");
  const describe = (network) => { const { name, ...rest } = JSON.parse(pavane("networks", network, "--json")); return rest; };
  assert.deepEqual(describe(file), describe("dgx-a100:2"), "unchanged");
  const bandwidth = (network) => JSON.parse(pavane("throughput", network, "all-gather", "--json")).algorithm_gbytes;
  assert.equal(bandwidth(file), bandwidth("dgx-a100:2"));
  await page.focus("#canvas [data-part=e0]");
  await page.fill("#edge-bandwidth", "100");
  await page.press("#edge-bandwidth", "Tab");
  await page.check("#edge-oneway");
  const [, written] = await saved(page, "drawn");
  assert.deepEqual(written.channels, [{ from: 0, to: 16, bandwidth_gbytes: 100 }]);
  assert.equal(written.links.length, 47);
  // Wrong values are told.
  await page.fill("#edge-bandwidth", "fast");
  await page.press("#edge-bandwidth", "Tab");
  assert.match(await page.textContent("#editor-status"), /fast is not a number/);
  // A network that is too large is refused.
  await page.fill("#network", "mesh:30x30");
  await page.click("#load");
  await page.waitForSelector("#editor-status.bad");
  assert.match(await page.textContent("#editor-status"), /the editor accepts at most 400/);
  assert.deepEqual(page.errors, ["Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)"]);
  await page.close();
});

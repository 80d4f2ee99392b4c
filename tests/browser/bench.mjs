// Prints how soon the studio paints, and what a step costs while its slider moves: node tests/browser/bench.mjs
import { launch, open, studio } from "./common.mjs";

const STEPS = 240;
const LOADS = 9;
const [browser, server] = await Promise.all([launch(), studio()]);
const middle = (values) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)];

const paints = [];
for (let at = 0; at < LOADS; at++) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(server.address, { waitUntil: "load" });
  paints.push(await page.evaluate(() => new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntriesByName("first-contentful-paint")[0].startTime)).observe({ type: "paint", buffered: true });
  })));
  await page.close();
}
console.log(`studio, first contentful paint: median ${middle(paints).toFixed(0)} ms, at most ${Math.max(...paints).toFixed(0)} ms of ${LOADS} loads`);

const problem = new URLSearchParams({ network: "hypercube:5", collective: "all-to-all" });
const page = await open(browser, `${server.address}#${problem}`, { width: 1440, height: 900 });
await page.waitForFunction(() => /hypercube:5/.test(document.querySelector("#title").textContent) && !document.querySelector("#status").classList.contains("busy"));
const client = await page.context().newCDPSession(page);
// Processor time, which does not depend on other programs.
await client.send("Performance.enable", { timeDomain: "threadTicks" });
const counters = async () => Object.fromEntries((await client.send("Performance.getMetrics")).metrics.map(({ name, value }) => [name, value]));
const before = await counters();
const seconds = await page.evaluate(async (steps) => {
  const slider = document.querySelector("#player .timeline input");
  const start = performance.now();
  for (let at = 0; at < steps; at++) {
    slider.value = String(at % (Number(slider.max) + 1));
    slider.dispatchEvent(new Event("input"));
    await new Promise(requestAnimationFrame);
  }
  return (performance.now() - start) / 1000;
}, STEPS);
const after = await counters();
const each = (name) => `${((1000 * (after[name] - before[name])) / STEPS).toFixed(2)} ms`;
console.log(`scrubbing hypercube:5 all-to-all in the studio: ${(STEPS / seconds).toFixed(1)} steps per second (at most 60)`);
console.log(`processor time of the main thread for each: ${each("TaskDuration")} in all; script ${each("ScriptDuration")}, style ${each("RecalcStyleDuration")}, layout ${each("LayoutDuration")}; all threads of the page ${each("ProcessTime")}`);
await browser.close();
server.child.removeAllListeners("exit");
server.child.kill();

// What all tests in the browser share: the program, the browser, and pages that fail the test on any error.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const program = process.env.PAVANE || new URL("../../target/debug/pavane", import.meta.url).pathname;
export const folder = mkdtempSync(join(tmpdir(), "pavane-browser-"));

/** Runs the program; throws an error with its output if it fails. */
export const pavane = (...words) => execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

export function launch(...more) {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", ...more] });
}

/** A page that collects the errors of its console. */
export async function open(browser, url, size = { width: 1280, height: 900 }, colorScheme = "light") {
  const page = await browser.newPage({ viewport: size, colorScheme });
  const errors = [];
  page.on("console", (message) => { if (message.type() === "error") errors.push(message.text()); });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.errors = errors;
  // Long timeout for busy machines.
  page.setDefaultTimeout(90_000);
  await page.goto(url);
  return page;
}

/** A studio of its own, with its address and process. */
export function studio(...words) {
  const child = spawn(program, ["studio", "--no-open", "--json", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let text = "";
    child.on("exit", (code) => reject(new Error(`the studio ended with ${code}`)));
    child.stdout.on("data", (more) => {
      text += more;
      try {
        const { address } = JSON.parse(text);
        const url = new URL(address);
        resolve({ child, address, base: url.origin, token: url.searchParams.get("token") });
      } catch { /* the line is incomplete */ }
    });
  });
}

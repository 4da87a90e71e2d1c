// The system's headless Chromium, found by FOVEA_CHROMIUM, and how long a page's thread works in it.
import { createRequire } from "node:module";

export const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");

export const open_browser = () => chromium.launch({ executablePath: process.env.FOVEA_CHROMIUM ?? "/usr/bin/chromium-headless-shell", args: ["--no-sandbox", "--disable-gpu"] });

// Tells how many seconds of the processor a page's thread has taken: what other programs take is not the page's. `of` is a
// part of it, as Chromium calls it ("ScriptDuration").
export async function processor_meter(page, of = "TaskDuration") {
  const tools = await page.context().newCDPSession(page);
  await tools.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => (await tools.send("Performance.getMetrics")).metrics.find(({ name }) => name === of).value;
}

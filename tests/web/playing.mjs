// What tests of the playground share.
import { text_of } from "./stage.mjs";

// An address of the playground: settings of the training, and other words.
export const words = (settings, more = {}) => "#/play?" + new URLSearchParams({ set: Object.entries(settings).map(([name, value]) => `${name}=${value}`).join(";"), ...more });
// Small enough to train while somebody waits.
export const small = { "task.vocab": 8, "task.length": 6, "model.hidden": 16, "model.embedding": 16, "train.batch": 16 };

export const step_of = (page) => page.locator("output[data-step]").getAttribute("data-step").then(Number);
// What was chosen last is drawn first: until then the page still shows, at its step, what was chosen before.
export const at_step = async (page, step) => {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.waitForFunction((step) => document.querySelector("output[data-step][data-loading=no]")?.dataset.step === String(step), step);
};
export const past_step = (page, step) => page.waitForFunction((step) => Number(document.querySelector("output[data-step][data-loading=no]")?.dataset.step) >= step, step);
// Settings are folded away.
export const open_settings = (page) => page.locator("details.settings > summary").click();
export const button = (page, name) => page.getByRole("button", { name, exact: true });

export async function saved(page, press) {
  const [download] = await Promise.all([page.waitForEvent("download"), press()]);
  return { name: download.suggestedFilename(), bytes: await text_of(download) };
}

// By name, the points of each curve of a figure.
export async function curves_of(page, figure) {
  const { bytes } = await saved(page, () => page.getByRole("group", { name: `Save the figure: ${figure}` }).getByRole("button", { name: "CSV" }).click());
  const [, ...lines] = String(bytes).trim().split("\n");
  const curves = new Map();
  for (const line of lines) {
    const [, name, step, value] = line.match(/^("[^"]*"|[^,]*),([^,]*),([^,]*)$/);
    (curves.get(name) ?? curves.set(name, []).get(name)).push([Number(step), Number(value)]);
  }
  return curves;
}
export const losses_of = async (page) => (await curves_of(page, "Loss")).get("loss");

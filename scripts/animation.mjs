// The training that the README shows, as an animation: node scripts/animation.mjs build/page/index.html docs/figures/training.gif
// The view Start is trained in the browser, a look a frame. Pillow (which matplotlib needs) joins the pictures: FOVEA_PYTHON has it.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { open_browser } from "../tests/web/chromium.mjs";

const [file, output] = process.argv.slice(2);
if (!output) {
  console.error("usage: node scripts/animation.mjs PAGE.html OUTPUT.gif");
  process.exit(2);
}
const join_them = `
import pathlib, sys
from PIL import Image
pictures = [Image.open(one).convert("RGB") for one in sorted(pathlib.Path(sys.argv[1]).glob("*.png"))]
sheet = Image.new("RGB", (pictures[0].width, pictures[0].height * len(pictures)))
for number, one in enumerate(pictures):
    sheet.paste(one, (0, number * one.height))
colours = sheet.quantize(200)
frames = [one.quantize(palette=colours, dither=0) for one in pictures]
frames[0].save(sys.argv[2], save_all=True, append_images=frames[1:], duration=[120] * (len(frames) - 1) + [3000], loop=0, optimize=True)
`;
const folder = await mkdtemp(join(tmpdir(), "fovea-animation-"));
const browser = await open_browser();
try {
  const page = await browser.newPage({ viewport: { width: 900, height: 564 }, colorScheme: "light" });
  await page.goto(`${pathToFileURL(resolve(file)).href}#/start?bet=30,20&embed=1`);
  await page.locator("output[data-loading=no]").waitFor();
  for (let step = 0; step <= 80; step += 2) {
    await page.locator(`output[data-step="${step}"]`).waitFor();
    await page.waitForTimeout(150);
    await page.screenshot({ path: join(folder, `${String(step).padStart(4, "0")}.png`) });
    await page.getByRole("button", { name: "Next evaluation" }).click();
  }
  execFileSync(process.env.FOVEA_PYTHON ?? "build/python/bin/python", ["-c", join_them, folder, output]);
} finally {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}

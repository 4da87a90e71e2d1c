// What tests of own texts share.
import { button } from "./playing.mjs";

export const paste = (page, text) => page.getByRole("textbox", { name: /^Your texts/ }).fill(text);
export const use = (page) => button(page, "Use them").click();

// Of the words that indicate a label, the label and the cells of the row, each by the name of its column.
export const evidence_of = (page) =>
  page.getByRole("region", { name: "Words that indicate each label" }).evaluate((region) => {
    const columns = [...region.querySelectorAll("thead th")].map((one) => one.textContent).slice(1);
    return Object.fromEntries([...region.querySelectorAll("tbody tr:not(.of-label)")].map((row) => [row.querySelector("th bdi").textContent, { label: row.parentElement.dataset.label, ...Object.fromEntries([...row.querySelectorAll("td")].map((cell, i) => [columns[i], cell.textContent])) }]));
  });
export const changing = "answers that change without it";
export const trust = (page) => page.locator(".trust");
// The answer to one of the block's questions.
export const answer_to = (page, asks) => page.locator(".answer dl > div", { hasText: asks }).locator("dd");
export const trusted = (page) => answer_to(page, "Can I trust attention?");

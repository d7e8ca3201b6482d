import type { Page } from "playwright-core";

/** Allowed values of `autocomplete` by field name, which password managers and phones rely on (HTML, "Autofill"). */
const autocompletes: Readonly<Record<string, readonly string[]>> = {
  username: ["username webauthn"],
  password: ["current-password"],
  code: ["one-time-code", "off"],
  user_code: ["off"],
  name: ["off"],
  label: ["off"],
};

/** Runs in the page and returns the problems that it finds, in words. */
const layoutScript = `(() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) found.push("scrolls sideways: " + root.scrollWidth + " px");
  for (const part of document.querySelectorAll("body *")) {
    if (part.closest(".hidden, svg") || !part.checkVisibility()) continue;
    const { left, right } = part.getBoundingClientRect();
    if (left < -1 || right > innerWidth + 1) found.push("outside of the screen: " + part.outerHTML.slice(0, 80));
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (texts.nextNode()) {
    const node = texts.currentNode;
    if (node.parentElement.closest(".hidden, code") || !node.parentElement.checkVisibility()) continue;
    for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\p{M}]{2,}/gu)) {
      if (/[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]/u.test(word)) continue;
      // A soft hyphen at a line's end is shown with the letter after it.
      range.setStart(node, node.data[index - 1] === "\\u00AD" ? index + 1 : index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) found.push("broken word: " + word);
    }
  }
  if (getComputedStyle(document.body).direction !== root.dir) found.push("direction");
  return found;
})()`;

const formScript = `(() => {
  const allowed = ${JSON.stringify(autocompletes)};
  const found = [];
  for (const field of document.querySelectorAll("input:not([type=hidden])")) {
    const name = field.name + ": ";
    if (![...(field.labels ?? [])].some((label) => label.textContent.trim() !== "")) found.push(name + "no label");
    if (field.type === "checkbox") continue;
    const autocomplete = field.getAttribute("autocomplete");
    if (autocomplete === null) found.push(name + "no autocomplete");
    else if (field.name in allowed && !allowed[field.name].includes(autocomplete)) found.push(name + autocomplete);
  }
  for (const form of document.querySelectorAll("form:not([method=dialog], [data-send])")) {
    if (form.method !== "post" || form.querySelector("[name=csrf_token]") === null) found.push("a form without csrf_token");
  }
  return found;
})()`;

const documentScript = `(() => {
  const found = [];
  const headings = [...document.querySelectorAll("h1, h2, h3")].map(({ tagName }) => tagName);
  if (headings.filter((name) => name === "H1").length !== 1 || headings[0] !== "H1") found.push("headings: " + headings);
  if (!document.title.includes(" – ")) found.push("title: " + document.title);
  if (document.querySelector("meta[http-equiv=refresh]")) found.push("refreshes by itself");
  if (document.querySelector("[style], style, [onclick], script:not([src])")) found.push("inline");
  if (document.querySelector("[tabindex]:not([tabindex='0'], [tabindex='-1'])")) found.push("positive tabindex");
  if (document.querySelectorAll("main, header, footer").length !== 3) found.push("landmarks");
  return found;
})()`;

/** Marks of a picture link to items of the list beside it, for those who point. */
const focusable = "a[href]:not(svg[aria-hidden=true] a[tabindex='-1']), button, input:not([type=hidden]), summary";

/** Records each element that receives the focus, and those that do not show it. @returns the number of focusable elements */
const watchFocus = `(() => {
  window.reached = new Set();
  window.unseen = [];
  document.activeElement.blur();
  addEventListener("focusin", ({ target }) => {
    reached.add(target);
    const { outlineStyle, outlineWidth } = getComputedStyle(target);
    if (outlineStyle === "none" || parseFloat(outlineWidth) < 2) unseen.push("focus unseen: " + target.outerHTML.slice(0, 80));
  });
  return [...document.querySelectorAll(${JSON.stringify(focusable)})].filter((part) => part.checkVisibility()).length;
})()`;

const focusScript = `[...unseen, ...[...document.querySelectorAll(${JSON.stringify(focusable)})]
  .filter((part) => part.checkVisibility() && !reached.has(part))
  .map((part) => "not reached by Tab: " + part.outerHTML.slice(0, 80))]`;

async function run(page: Page, script: string): Promise<readonly string[]> {
  const answer: unknown = await page.evaluate(script);
  return Array.isArray(answer) ? answer.map(String) : [`not a list: ${String(answer)}`];
}

/** Problems if parts of the page are off the screen, words are broken, or the text direction is wrong. */
export const layoutProblems = (page: Page): Promise<readonly string[]> => run(page, layoutScript);

/** Problems in the HTML: labels, autocomplete, headings, refreshes, inline code, tab order and landmarks. */
export async function documentProblems(page: Page): Promise<readonly string[]> {
  return [...(await run(page, formScript)), ...(await run(page, documentScript))];
}

/** Problems if Tab does not reach every control or its focus is not visible (WCAG 2.1.1, 2.1.2, 2.4.7). */
export async function keyboardProblems(page: Page): Promise<readonly string[]> {
  const count = Number(await page.evaluate(watchFocus));
  for (let presses = 0; presses < count + 2; presses += 1) await page.keyboard.press("Tab");
  return run(page, focusScript);
}

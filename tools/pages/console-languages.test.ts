import { expect, test } from "vitest";
import { type ConsoleLanguage, englishLanguage } from "../../services/admin/src/texts/console-languages.ts";
import { type Catalogue, english, isTextKey } from "../../services/admin/src/texts/texts.ts";
import { consoleSample, consoleSampleNames } from "./console-samples.ts";

/** Every letter of a text, except those of placeholders, is marked. */
const marked = (text: string): string => text.replaceAll(/\{\w+\}|[a-z]/giu, (part) => (part.length > 1 ? part : "ж"));

const texts = Object.fromEntries(Object.entries(english).map(([key, text]) => [key, marked(text)])) as Catalogue;
const pseudo: ConsoleLanguage = { ...englishLanguage, texts: () => texts };

/** Texts that people read, without tags; attributes that are read aloud or shown included. */
function shownTexts(body: string): readonly string[] {
  const attributes = [...body.matchAll(/ (?:aria-label|title|placeholder|data-column|label)="([^"]*)"/gu)];
  const visible = body.replaceAll(
    /<(?:style|script)[\s\S]*?<\/(?:style|script)>|<code[\s\S]*?<\/code>|<pre[\s\S]*?<\/pre>/gu,
    " ",
  );
  return [...attributes.map(([, text = ""]) => text), ...visible.split(/<[^>]*>/u)];
}

test("x", () => {
  const found = new Map<string, Set<string>>();
  for (const name of consoleSampleNames) {
    const { body } = consoleSample(name, "https://console.example.test", { path: "/style.css" }, pseudo);
    expect(body).not.toMatch(/<[tvn]:|<t>/u);
    for (const text of shownTexts(body))
      if (/[a-z]{2,}/iu.test(text)) (found.get(name) ?? found.set(name, new Set()).get(name)!).add(text.trim());
  }
  for (const [n, s] of found) console.log(n, [...s]);
  expect(isTextKey("x")).toBe(false);
});

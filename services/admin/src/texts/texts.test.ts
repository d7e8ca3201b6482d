import { consoleActions, consolePages, reasonMeanings } from "@postern/shared/contracts";
import { languages } from "@postern/shared/domain/localisation";
import { html, htmlText } from "@postern/shared/platform/pages";
import { describe, expect, test } from "vitest";
import { consoleLanguage, consoleLanguages, englishLanguage } from "./console-languages.ts";
import { english, isTextKey, joined, known, t, word } from "./texts.ts";
import { englishText, writeTexts } from "./write-texts.ts";

const keys = Object.keys(english).filter((key) => isTextKey(key));
const placeholders = (text: string): readonly string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();
/** Plural forms that whole numbers need. */
const formCounts: Readonly<Record<string, number>> = { ar: 6, ja: 1, pl: 3, ru: 3, zh: 1 };

test("the console speaks the languages of the sign-in pages", () => {
  expect(consoleLanguages.map(({ tag }) => tag)).toEqual(languages.map(({ tag }) => tag));
});

describe.each(consoleLanguages)("$name", ({ tag, texts: catalogue }) => {
  test("has every text of the console and no other", () => {
    expect(Object.keys(catalogue)).toEqual(keys);
    expect(Object.values(catalogue).filter((text) => text.trim() !== text || text === "")).toEqual([]);
  });

  test("has the same placeholders in its texts as English, in every plural form", () => {
    const differ = keys.filter((key) => {
      const forms = catalogue[key].split("|");
      const wanted = placeholders(english[key].split("|").at(-1) ?? "");
      // A form for one or two need not repeat the number.
      const without = wanted.filter((name) => name !== "{count}");
      return !forms.every((form) => {
        const own = placeholders(form).join();
        return own === wanted.join() || (forms.length > 1 && own === without.join());
      });
    });
    expect(differ).toEqual([]);
  });

  test("has one form, or one for each plural of the language", () => {
    const counts = keys.map((key) => [key, catalogue[key].split("|").length] as const);
    const wrong = counts.filter(
      ([key, count]) => count !== 1 && (count !== (formCounts[tag] ?? 2) || !english[key].includes("|")),
    );
    expect(wrong).toEqual([]);
  });

  test("is translated", () => {
    const same = keys.filter((key) => catalogue[key] === english[key] && english[key].includes(" "));
    expect(same.length).toBeLessThan(tag === "en" ? Number.POSITIVE_INFINITY : 8);
  });
});

test("actions, pages and reasons are called what the contract and the documentation call them", () => {
  const texts: Readonly<Record<string, string>> = english;
  for (const [id, { label, effect }] of Object.entries(consoleActions))
    expect([texts[`action.${id}.label`], texts[`action.${id}.effect`]]).toEqual([label, effect]);
  for (const [id, { title }] of Object.entries(consolePages)) expect(texts[`page.${id}`]).toBe(title);
  for (const [reason, meaning] of Object.entries(reasonMeanings)) expect(texts[`reason.${reason}`]).toBe(meaning);
});

const inLanguage = (tag: string, part: ReturnType<typeof t>): string =>
  writeTexts(htmlText(part), consoleLanguage(tag, undefined));

test("a number selects the plural form of the language", () => {
  const days = (tag: string) => [0, 1, 2, 5, 21].map((count) => inLanguage(tag, t("duration.days", { count })));
  expect(days("en")).toEqual(["0 days", "1 day", "2 days", "5 days", "21 days"]);
  expect(days("ru")).toEqual(["0 дней", "1 день", "2 дня", "5 дней", "21 день"]);
  expect(days("ja")[1]).toBe("1 日");
  expect(days("ar")[2]).toBe("يومان");
  // Millions have a plural of their own, which needs no other form.
  expect(inLanguage("fr", t("duration.days", { count: 1_000_000 }))).toMatch(/jours$/u);
});

test("values are nested, escaped, isolated where the text runs from right to left, and never read as texts", () => {
  const hostile = "<t:house.none><t> & {action}";
  const part = t("house.done", { action: html`<b>${hostile}</b>` });
  expect(englishText(part)).toBe(
    "Done: <b>&lt;t:house.none&gt;&lt;t&gt; &amp; {action}</b>. The audit stream has the reason.",
  );
  expect(inLanguage("ar", t("search.account", { name: "alice" }))).toContain("\u2068alice\u2069");
  expect(englishText(t("sign_ins.through", { way: joined([word("way", "mail"), "imap", "", undefined]) }))).toBe(
    "through a mail program, imap",
  );
});

test("what the catalogue does not have is shown as it is", () => {
  expect(englishText(word("state", "<moon>"))).toBe("&lt;moon&gt;");
  expect(englishText(word("state", "constructor"))).toBe("constructor");
  expect(inLanguage("de", known("incomplete", english["incomplete.sessions"]))).toContain("Sitzungen");
  expect(inLanguage("de", known("incomplete", "the moon could not be read"))).toBe("the moon could not be read");
});

test("texts of engines are known by their forms, with what they are about", () => {
  expect(inLanguage("de", known("signal_reason.new_country", "NG is new"))).toBe("Nigeria ist neu");
  expect(inLanguage("de", known("signal_reason.new_source", "the network and its system AS64500 are new"))).toBe(
    "das Netz und sein System AS64500 sind neu",
  );
  expect(inLanguage("de", known("signal_reason.new_client", "<b> is new"))).toBe("&lt;b&gt; ist neu");
  expect(inLanguage("de", known("signal_reason.new_country", "the moon is far"))).toBe("the moon is far");
});

test("the preference precedes the browser's languages, and English is the last resort", () => {
  expect(consoleLanguage("fr", "de").tag).toBe("fr");
  expect(consoleLanguage(undefined, "xx, de-AT;q=0.5").tag).toBe("de");
  expect(consoleLanguage(undefined, "xx").tag).toBe(englishLanguage.tag);
  expect(consoleLanguage(undefined, undefined).tag).toBe("en");
});

import { writtenTag } from "@postern/shared/domain/localisation";
import { expect, test } from "vitest";
import notFoundTexts from "./not-found-texts.json" with { type: "json" };
import { unavailablePage } from "./plain-page.ts";
import unavailableTexts from "./unavailable-texts.json" with { type: "json" };

test("every language has its page", () => {
  for (const [tag, { title, text, link }] of Object.entries(unavailableTexts)) {
    const { html } = unavailablePage({ url: "/login", acceptLanguage: tag }, "ref-1");
    expect(html).toContain(`<html lang="${writtenTag(tag)}" dir="${tag === "ar" ? "rtl" : "ltr"}">`);
    for (const words of [title, text, link, "ref-1"]) expect(html).toContain(words);
  }
  expect(Object.keys(unavailableTexts)).toHaveLength(12);
  expect(Object.keys(notFoundTexts)).toEqual(Object.keys(unavailableTexts));
});

test("the page contains no part of the request", () => {
  const url = "/login/<script>alert(1)</script>?flow=%22%3E";
  const { html } = unavailablePage({ url, acceptLanguage: "<i>" }, "ref-1");
  expect(html).toBe(unavailablePage({ url: "/", acceptLanguage: undefined }, "ref-1").html);
});

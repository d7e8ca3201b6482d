import { writtenTag } from "@postern/shared/domain/localisation";
import { expect, test } from "vitest";
import { acceptsHtml, unavailablePage } from "./unavailable-page.ts";
import { unavailableTexts } from "./unavailable-texts.ts";

test.each([
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true],
  ["TEXT/HTML ; q=0.5", true],
  ["application/xhtml+xml", true],
  ["*/*", false],
  ["text/html;q=0, application/json", false],
  ["text/html;q=0.000", false],
  ["application/json", false],
  ["", false],
  [undefined, false],
] as const)("whether Accept: %s receives a page: %s", (accept, wants) => {
  expect(acceptsHtml(accept)).toBe(wants);
});

test("every language has its page", () => {
  for (const [tag, { title, text, retry }] of Object.entries(unavailableTexts)) {
    const { html } = unavailablePage({ url: "/login", accept: "text/html", acceptLanguage: tag }, "ref-1");
    expect(html).toContain(`<html lang="${writtenTag(tag)}" dir="${tag === "ar" ? "rtl" : "ltr"}">`);
    for (const words of [title, text, retry, "ref-1"]) expect(html).toContain(words);
  }
  expect(Object.keys(unavailableTexts)).toHaveLength(12);
});

test("the page contains no part of the request", () => {
  const url = "/login/<script>alert(1)</script>?flow=%22%3E";
  const { html } = unavailablePage({ url, accept: "<b>", acceptLanguage: "<i>" }, "ref-1");
  expect(html).toBe(unavailablePage({ url: "/", accept: undefined, acceptLanguage: undefined }, "ref-1").html);
});

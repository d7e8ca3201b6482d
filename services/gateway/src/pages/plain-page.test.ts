import { writtenTag } from "@postern/shared/domain/localisation";
import { expect, test } from "vitest";
import notFoundTexts from "./not-found-texts.json" with { type: "json" };
import { plainPage } from "./plain-page.ts";
import unavailableTexts from "./unavailable-texts.json" with { type: "json" };

const reference = "ref-1";

test("every language has its page", () => {
  for (const [tag, { title, text, link }] of Object.entries(unavailableTexts)) {
    const request = { url: "/login", headers: { "accept-language": tag } };
    const html = plainPage(request, { texts: unavailableTexts, reference });
    expect(html).toContain(`<html lang="${writtenTag(tag)}" dir="${tag === "ar" ? "rtl" : "ltr"}">`);
    for (const words of [title, text, link, reference]) expect(html).toContain(words);
  }
  expect(Object.keys(unavailableTexts)).toHaveLength(12);
  expect(Object.keys(notFoundTexts)).toEqual(Object.keys(unavailableTexts));
});

test("the page contains no part of the request", () => {
  const url = "/login/<script>alert(1)</script>?flow=%22%3E";
  const parts = { texts: unavailableTexts, reference };
  const html = plainPage({ url, headers: { "accept-language": "<i>" } }, parts);
  expect(html).toBe(plainPage({ url: "/", headers: {} }, parts));
});

import { expect, test } from "vitest";
import { createStatusCount, type SignInFacts, signInWorks } from "./public-status.ts";
import { createStatusPages, languageOf } from "./status-page.ts";
import statusTexts from "./status-texts.json" with { type: "json" };

const backend = (state: string) => ({ backends: [{ name: "ldap", state }] });
const engine = { service: "auth-engine", status: "up", isCurrent: true, checks: {}, ...backend("up") };
const idp = { service: "idp", status: "degraded", isCurrent: true, checks: { bus: "down" } } as const;
const good: SignInFacts = { gateway: "up", engines: 1, needed: ["auth-engine", "idp"], reports: [engine, idp] };

test.each<[string, Partial<SignInFacts>, boolean]>([
  ["everything serves", {}, true],
  ["the gateway lacks Redis", { gateway: "degraded" }, false],
  ["no heartbeat arrives", { engines: 0 }, false],
  ["no identity provider answers", { reports: [engine] }, false],
  [
    "the identity provider did not answer the latest request",
    { reports: [engine, { ...idp, isCurrent: false }] },
    false,
  ],
  ["the identity provider has no Redis", { reports: [engine, { ...idp, checks: { redis_state: "down" } }] }, false],
  ["the identity provider is not ready", { reports: [engine, { ...idp, status: "down" }] }, false],
  ["a site without identity provider", { needed: ["auth-engine"], reports: [engine] }, true],
  ["no engine can use a backend", { reports: [{ ...engine, ...backend("down") }, idp] }, false],
  [
    "a backend of some domains",
    { reports: [{ ...engine, backends: [{ name: "ldap(a)", state: "down", isOfDomains: true }] }, idp] },
    true,
  ],
  ["one of two engines can use it", { reports: [engine, { ...engine, ...backend("down") }, idp] }, true],
])("%s: sign-in works for every user: %s", (_, change, works) => {
  expect(signInWorks({ ...good, ...change })).toBe(works);
});

test("a failure is published when it repeats itself, with the minute of its first observation", () => {
  let nowMs = Date.parse("2026-11-24T14:05:40Z");
  const { add, status } = createStatusCount({ now: () => nowMs });
  const observe = (works: boolean): number | undefined => {
    add(works);
    nowMs += 30_000;
    return status().degradedSinceMs;
  };
  expect([true, false, true, false].map(observe)).toEqual([undefined, undefined, undefined, undefined]);
  expect([false, false].map(observe)).toEqual(Array(2).fill(Date.parse("2026-11-24T14:07:00Z")));
  expect(observe(true)).toBeUndefined();
});

test("the first observation after the start counts alone", () => {
  const { add, status } = createStatusCount({ now: () => 60_000 });
  add(false);
  expect(status()).toEqual({ degradedSinceMs: 60_000 });
  add(false);
  expect(status()).toEqual({ degradedSinceMs: 60_000 });
});

const pages = createStatusPages({ brand: "<b>Example", accent: { light: "", dark: "" } });

test("every language has both pages, with the time in its own words", () => {
  expect(Object.keys(statusTexts)).toHaveLength(12);
  for (const [tag, texts] of Object.entries(statusTexts)) {
    const good = pages.render(tag, { degradedSinceMs: undefined }) ?? "";
    for (const words of [texts.works, texts.worksText]) expect(good).toContain(words);
    const bad = pages.render(tag, { degradedSinceMs: 60_000 }) ?? "";
    for (const words of [texts.degraded, texts.degradedText, "1970-01-01T00:01:00.000Z"]) expect(bad).toContain(words);
    expect(bad).not.toContain("{time}");
    expect(bad).toContain("&lt;b&gt;Example");
    expect(pages.render(tag, { degradedSinceMs: undefined })).toBe(good);
  }
});

test("the language is the path's, then the browser's, then English", () => {
  expect(languageOf("de-AT", "fr")).toBe("de");
  expect(languageOf("xx", "fr")).toBe("fr");
  expect(languageOf("x_x", "fr")).toBeUndefined();
  expect(languageOf(undefined, "xx, fr;q=0.5")).toBe("fr");
  expect(languageOf(undefined, undefined)).toBe("en");
});

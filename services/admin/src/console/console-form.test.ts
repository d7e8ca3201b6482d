import fc from "fast-check";
import { expect, test } from "vitest";
import { pageWithin } from "./console-form.ts";

const origin = "https://console.example.test";

test.each([
  ["/console/search?for=handle", "/console/search?for=handle"],
  ["/console/search", "/console/search"],
  ["/console/bans?order=asc", "/console/bans?order=asc"],
  ["/console/network?for=handle", "/console/network?for=handle"],
  ["/console/sign-out", "/console/overview"],
  ["//evil.example.test/console/search", "/console/overview"],
  ["/\\evil.example.test/console/search", "/console/overview"],
  ["https://evil.example.test/console/search", "/console/overview"],
  ["https://console.example.test/console/search", "/console/overview"],
  ["javascript:alert(1)", "/console/overview"],
  ["console/search", "/console/overview"],
  ["", "/console/overview"],
  [undefined, "/console/overview"],
])("%s leads to %s", (text, expected) => {
  expect(pageWithin(origin, text)).toBe(expected);
});

const beginnings = [
  "",
  "/",
  "//",
  "/\\",
  "/%5c",
  "/..//",
  "https://evil.test",
  "//evil.test/",
  "/console/search",
  "javascript:",
];

test("no text leads out of the console", () => {
  fc.assert(
    fc.property(fc.constantFrom(...beginnings), fc.string(), (begin, rest) => {
      const page = pageWithin(origin, begin + rest);
      expect(new URL(page, origin).origin).toBe(origin);
      expect(page).toMatch(/^\/console\/(?:search|overview)(?:\?|$)/u);
    }),
  );
});

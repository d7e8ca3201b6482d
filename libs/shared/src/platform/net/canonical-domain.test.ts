import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalDomain } from "./canonical-domain.ts";

test.each([
  ["Example.TEST", "example.test"],
  ["example.test.", "example.test"],
  ["münchen.example", "xn--mnchen-3ya.example"],
  ["_x.a-b.example.test", "_x.a-b.example.test"],
])("%s is %s", (written, canonical) => expect(canonicalDomain(written)).toBe(canonical));

test.each([
  "",
  ".",
  "localhost",
  "192.0.2.1",
  "::1",
  "a..b",
  "-a.test",
  "a-.test",
  "a b.test",
  "a/b.test",
  `${"a".repeat(64)}.test`,
  "a.test:1",
])("%j is not a domain", (written) => expect(canonicalDomain(written)).toBeUndefined());

test.each(["/", "?", "#", "\\", "@", ":", "%", " ", "\t", "\n", "\0", "\u3000"])(
  "no part of a text is a domain, before or after %j",
  (mark) => {
    for (const text of [
      `b.test${mark}@a.test`,
      `b.test${mark}a.test`,
      `${mark}a.test`,
      `b.test${mark}`,
      `b.te${mark}st`,
    ])
      expect(canonicalDomain(text)).toBeUndefined();
  },
);

test("a canonical domain is its own canonical form", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.domain()), (text) => {
      const once = canonicalDomain(text);
      if (once !== undefined) expect(canonicalDomain(once)).toBe(once);
    }),
    { numRuns: 50 },
  );
});

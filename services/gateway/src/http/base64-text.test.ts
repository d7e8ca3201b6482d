import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBase64Text } from "./base64-text.ts";

const texts = fc.string({ unit: "grapheme" });

test.each(["base64", "base64url"] as const)("%s is decoded, with and without padding", (alphabet) => {
  fc.assert(
    fc.property(texts, (text) => {
      const encoded = Buffer.from(text).toString(alphabet).replace(/=+$/, "");
      expect(decodeBase64Text(encoded)).toBe(text);
      expect(decodeBase64Text(encoded.padEnd(Math.ceil(encoded.length / 4) * 4, "="))).toBe(text);
    }),
  );
});

test.each(["a", "YWI=A", "YW Jj", "YWJj=", "YQ=", "YQ===", "ä", "YWJ\n", "=", "gICA"])("%j is invalid", (encoded) => {
  expect(decodeBase64Text(encoded)).toBeUndefined();
});

test("any input results in text or undefined", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (encoded) => {
      const decoded = decodeBase64Text(encoded);
      expect(decoded === undefined || decoded.isWellFormed()).toBe(true);
    }),
  );
});

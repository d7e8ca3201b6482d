import fc from "fast-check";
import { expect, test } from "vitest";
import { decodePercents } from "./percent-decode.ts";

/** A header value as Node returns it: one character per byte. */
const asHeader = (text: string): string => Buffer.from(text).toString("latin1");

test.each([
  ["plain", "plain"],
  ["a%20b", "a b"],
  ["a+b", "a+b"],
  ["100%", "100%"],
  ["%", "%"],
  ["%4", "%4"],
  ["%zz", "%zz"],
  ["%2G%41", "%2GA"],
  ["%25%34%31", "%41"],
  ["%c3%A4", "ä"],
  ["%0d%0A", "\r\n"],
  ["%00", "\0"],
  [asHeader("grün%21"), "grün!"],
])("%j is %j", (encoded, text) => {
  expect(decodePercents(encoded)).toBe(text);
});

test.each(["%ff", "%c3", "%c3%28", "\u00e4", "%ed%a0%80"])("%j is not UTF-8", (encoded) => {
  expect(decodePercents(encoded)).toBeUndefined();
});

test("encodeURIComponent's output is decoded, with any of its characters left unescaped", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(decodePercents(encodeURIComponent(text))).toBe(text);
    }),
  );
});

test("nginx's escapes are decoded: bytes up to the space, the percent sign and everything above ~", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const escaped = [...Buffer.from(text)]
        .map((byte) =>
          byte <= 0x20 || byte === 0x25 || byte >= 0x7f
            ? `%${byte.toString(16).padStart(2, "0")}`
            : String.fromCharCode(byte),
        )
        .join("");
      expect(decodePercents(escaped)).toBe(Buffer.from(text).toString());
    }),
  );
});

test("any bytes result in text or undefined", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const decoded = decodePercents(Buffer.from(bytes).toString("latin1"));
      expect(decoded === undefined || decoded.isWellFormed()).toBe(true);
    }),
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { readClientName } from "./client-name.ts";

test.each([
  ["Thunderbird", "Thunderbird"],
  ["  K-9   Mail ", "K-9 Mail"],
  ["Почта", "Почта"],
  ["メール Mail", "メール Mail"],
  ["بريد", "بريد"],
  ["بريد Mail 2", "بريد Mail 2"],
  ["Ηλεκτρονικό ταχυδρομείο", "Ηλεκτρονικό ταχυδρομείο"],
  ["Ｔｈｕｎｄｅｒｂｉｒｄ", "Thunderbird"],
  ["Café", "Café"],
])("%j is shown as %j", (text, shown) => {
  expect(readClientName(text)).toBe(shown);
});

test.each([
  ["a Cyrillic letter among Latin ones", "Thundеrbird"],
  ["a Greek letter among Latin ones", "Οutlook"],
  ["an Armenian letter among Latin ones", "Mai\u0578"],
  ["a Coptic letter among Latin ones", "Outl\u2C9F\u2C9Fk"],
  ["Lisu letters that look like Latin ones", "\uA4D4\uA4E7\uA4F4\uA4E0\uA4D3\uA4F0\uA4E3"],
  ["Cherokee letters that look like Latin ones", "\u13B7\u13AA\u13C6\u13DE"],
  ["a Greek letter among Cyrillic ones", "П\u03BFчта"],
  ["a reversed text", "Mail\u202Etxt.exe"],
  ["an invisible space", "Mail\u200Bbox"],
  ["a soft hyphen", "Mail\u00ADbox"],
  ["a line break", "Mail\nThis app was verified"],
  ["a stack of marks", "M\u0300\u0301\u0302\u0303ail"],
  ["a long text", "x".repeat(81)],
  ["a filler that looks empty", "\u3164"],
])("%s is refused", (_what, text) => {
  expect(readClientName(text)).toBeUndefined();
});

test("a shown name is one visible line without characters that reorder it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 100 }), (text) => {
      const name = readClientName(text);
      if (name === undefined) return;
      expect(name.length).toBeLessThanOrEqual(80);
      expect(name).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      expect(readClientName(name)).toBe(name);
    }),
    { numRuns: 1000 },
  );
});

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mayShowName, readClientName } from "./client-name.ts";
import type { OwnNames } from "./look-alike.ts";

const own: OwnNames = { site: ["Postern", "id.example.test", "Mail"], applications: ["Webmail", "Файлы", ""] };

test.each([
  "Thunderbird",
  "K-9 Post",
  "Outlook",
  "Apple Kalender",
  "Почта",
  "メール",
  "Ηλεκτρονικό ταχυδρομείο",
  "البريد",
  "البريد Outlook",
  "דואר",
  "Łódź Çelik Ştiință Ðắk Lắk",
  "Ɛdwom ɔkyerɛkyerɛfo",
  "Webmail 2",
  "AT&T + C++ (v2.0) ®",
])("%j is shown", (name) => {
  expect(readClientName(name)).toBe(name);
  expect(mayShowName(name, own)).toBe(true);
});

test.each([
  ["a phonetic letter", "ɡmail"],
  ["a small capital", "Pᴏstern"],
  ["a click letter", "Outǀook"],
  ["a Hebrew letter in a Latin word", "Outlסok"],
  ["a Thai digit in a Latin word", "Outl๐๐k"],
  ["a Malayalam letter in a Latin word", "Outlഠok"],
  ["a check mark", "Outlook ✓"],
  ["a heavy check mark", "✔ Outlook"],
  ["a check box", "Outlook ☑"],
  ["an emoji", "Outlook ✅"],
  ["a lock", "🔒 Outlook"],
  ["a square root", "√ Outlook"],
  ["a circled digit of a dingbat font", "Outlook ❶"],
  ["an enclosing circle", "V\u20DD Outlook"],
])("%s is refused: %s", (_what, name) => {
  expect(readClientName(name)).toBeUndefined();
  expect(mayShowName(name, own)).toBe(false);
});

test.each([
  "Postern",
  "POSTERN",
  "Pöstern",
  "P0stern",
  "Postem",
  "Post ern",
  "Postern Support",
  "MyPostern",
  "id.example.test",
  "ID Example Test",
  "K-9 Mail",
  "MaiI",
  "mail",
  "Webmail",
  "WebmaiI",
  "Файлы",
])("%j looks like a name of the site: the host is shown instead", (name) => {
  expect(mayShowName(name, own)).toBe(false);
});

test.each(["Арре", "Роѕа", "ΡΑΥ", "Тесо", "ՕՏ"])("%j looks like a Latin word: the host is shown instead", (name) => {
  expect(mayShowName(name, own)).toBe(false);
});

/** Letters of Unicode TS 39, by the letter that they look like. */
const data: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve("unhomoglyph/data.json"), "utf8"),
);
const lookAlikes = Map.groupBy(
  Object.keys(data).filter((letter) => !/\p{M}/u.test(letter)),
  (letter) => data[letter] ?? "",
);

const disguised = (letter: string) =>
  fc.tuple(
    fc.constantFrom(letter, letter.toUpperCase(), letter.toLowerCase(), ...(lookAlikes.get(letter) ?? [])),
    fc.constantFrom("", "", "", "\u0300", "\u0323", " ", "-", "."),
  );

test("no disguise of a name of the site by letters, case, marks and spaces is shown", () => {
  for (const name of ["Postern", "Webmail"]) {
    const disguise = fc.tuple(...Array.from(name, disguised)).map((all) => all.flat().join(""));
    fc.assert(
      fc.property(disguise, (text) => {
        const read = readClientName(text);
        if (read !== undefined) expect([text, mayShowName(read, own)]).toEqual([text, false]);
      }),
      { numRuns: 5000 },
    );
  }
});

test("a registered name is read the same again", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (text) => {
      const name = readClientName(text);
      if (name !== undefined) expect(readClientName(name)).toBe(name);
    }),
    { numRuns: 2000 },
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { askedByName, searchedText, withoutTag } from "./searched-text.ts";

test.each([
  ["  alice@example.test ", "alice@example.test"],
  ["Alice Example <alice@example.test>", "alice@example.test"],
  ["mailto:alice+shop@example.test", "alice+shop@example.test"],
  ["203.0.113.9:4711", "203.0.113.9"],
  ["[2001:db8::9]:993", "2001:db8::9"],
  ["[2001:DB8::9]", "2001:db8::9"],
  ["203.0.113.0/24", "203.0.113.0/24"],
  ["7d3f91ac-20b4", "7d3f91ac-20b4"],
  ["Reference: 7d3f91ac-20b4", "7d3f91ac-20b4"],
  ["Referenz 7D3F91AC20B4.", "7D3F91AC-20B4"],
  ["参照番号：7d3f91ac-20b4", "7d3f91ac-20b4"],
  ["7d3f91ac20b4", "7d3f91ac20b4"],
  ["alice:1", "alice:1"],
  ["999.1.1.1:80", "999.1.1.1:80"],
  ["<script>", "<script>"],
  ["   ", ""],
])("“%s” is a search for “%s”", (typed, text) => {
  expect(searchedText(typed)).toBe(text);
});

test("whatever is typed becomes a text within the bound, and stays as it is if it is read again", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 3000 }), (typed) => {
      const text = searchedText(typed);
      expect(text.length).toBeLessThanOrEqual(1024);
      expect(text).toBe(text.trim());
    }),
  );
});

test.each([
  ["alice+shop@example.test", "alice@example.test"],
  ["alice+a+b@example.test", "alice@example.test"],
  ["alice+@example.test", "alice@example.test"],
  ["alice@example.test", undefined],
  ["+shop@example.test", undefined],
  ["alice+shop", undefined],
  ["alice @example.test+x", undefined],
])("%s without its tag is %s", (name, untagged) => {
  expect(withoutTag(name)).toBe(untagged);
});

test("a tag is left out, and the operator's domain added, only if it is no part of an account's name, and the name without it is an account", async () => {
  const names: string[] = [];
  const ask = async (name: string): Promise<string> => {
    names.push(name);
    return name;
  };
  const accounts = new Set(["alice@example.test", "bob+shop@example.test", "dora"]);
  const shown = (name: string) =>
    askedByName({ name, operator: "ada@example.test" }, ask, (found) => accounts.has(found));
  expect(await shown("alice+shop@example.test")).toBe("alice@example.test");
  expect(await shown("bob+shop@example.test")).toBe("bob+shop@example.test");
  expect(await shown("carol+shop@example.test")).toBe("carol+shop@example.test");
  expect(await shown("dora")).toBe("dora");
  expect(await shown(" alice")).toBe("alice@example.test");
  expect(await shown("iPhone 17")).toBe("iPhone 17");
  expect(names).toEqual([
    "alice+shop@example.test",
    "alice@example.test",
    "bob+shop@example.test",
    "carol+shop@example.test",
    "carol@example.test",
    "dora",
    " alice",
    "alice@example.test",
    "iPhone 17",
  ]);
});

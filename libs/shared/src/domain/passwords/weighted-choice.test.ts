import { createSecretKey } from "node:crypto";
import { expect, test } from "vitest";
import { createKeyedDigest } from "../../platform/crypto/keyed-digest.ts";
import { createWeightedChoice } from "./weighted-choice.ts";

const digest = createKeyedDigest(createSecretKey(Buffer.from("a key of the test")));
const make = () => createWeightedChoice<string>(digest, ["usual", "usual"]);
const names = Array.from({ length: 4000 }, (_, index) => `nobody-${index}@example.test`);

function sharesOf(choice: ReturnType<typeof make>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) {
    const kind = choice.choose(name);
    counts[kind] = (counts[kind] ?? 0) + 1 / names.length;
  }
  return counts;
}

test("before any value is learned, every name has the usual one", () => {
  expect(sharesOf(make())).toEqual({ usual: expect.closeTo(1) });
});

test("names get values in the configured proportions, and each name always the same value", () => {
  const choice = make();
  choice.fix([
    ["cheap", "cheap", 60],
    ["costly", "costly", 30],
    ["cheap", "cheap", 10],
  ]);
  const shares = sharesOf(choice);
  // Three standard deviations of 4,000 draws.
  expect(Math.abs((shares["cheap"] ?? 0) - 0.7)).toBeLessThan(0.022);
  expect(names.map((name) => choice.choose(name))).toEqual(names.map((name) => choice.choose(name)));
});

test("proportions are learned from the members seen, each counted once", () => {
  const choice = make();
  for (let member = 0; member < 300; member += 1) {
    const kind = member % 3 === 0 ? "costly" : "cheap";
    for (let again = 0; again < 2; again += 1) choice.learn(`member-${member}`, kind, kind);
  }
  const shares = sharesOf(choice);
  expect(Math.abs((shares["cheap"] ?? 0) - 2 / 3)).toBeLessThan(0.075);
  expect(shares["usual"]).toBeUndefined();
});

test.each([0, 100, 1500])(
  "after %i members, one more does not change the value of any name, however often it is seen",
  (seen) => {
    const choice = make();
    for (let member = 0; member < seen; member += 1) choice.learn(`member-${member}`, "costly", "costly");
    const before = names.map((name) => choice.choose(name));
    for (let count = 0; count < 500; count += 1) choice.learn("one more", "cheap", "cheap");
    expect(names.map((name) => choice.choose(name))).toEqual(before);
  },
);

test("when the proportions change, only the necessary names change their value", () => {
  const choice = make();
  choice.fix([
    ["cheap", "cheap", 50],
    ["costly", "costly", 50],
  ]);
  const before = names.map((name) => choice.choose(name));
  choice.fix([
    ["cheap", "cheap", 40],
    ["costly", "costly", 60],
  ]);
  const moved = names.filter((name, index) => choice.choose(name) !== before[index]);
  expect(moved.length / names.length).toBeLessThan(0.13);
  expect(new Set(moved.map((name) => choice.choose(name)))).toEqual(new Set(["costly"]));
});

test("a member that changes its kind is counted with its new kind", () => {
  const choice = make();
  for (let member = 0; member < 200; member += 1) choice.learn(`member-${member}`, "old", "old");
  for (let member = 0; member < 200; member += 1) choice.learn(`member-${member}`, "new", "new");
  expect(sharesOf(choice)).toEqual({ new: expect.closeTo(1) });
});

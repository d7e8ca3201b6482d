import { expect, test } from "vitest";
import { homeOf, tagged, tagOf } from "./region-tags.ts";

test("a tag is read from the value that has it", () => {
  expect(tagOf(tagged("us-east-1", "abc"))).toBe("us-east-1");
  for (const value of ["abc", "a.b~c", "East~abc", "~abc", `${"x".repeat(21)}~abc`])
    expect(tagOf(value)).toBeUndefined();
});

const accounts = Array.from({ length: 3000 }, (_, index) => `user${index}@example.test`);

test("every region computes the same home, and each is the home of its share", () => {
  const homes = accounts.map((account) => homeOf(account, ["east", "west", "north"]));
  expect(accounts.map((account) => homeOf(account, ["north", "east", "west"]))).toEqual(homes);
  for (const region of ["east", "west", "north"])
    expect(Math.abs(homes.filter((home) => home === region).length - 1000)).toBeLessThan(150);
});

test("without a region, only its accounts move", () => {
  const kept = accounts.filter((account) => homeOf(account, ["east", "west", "north"]) !== "north");
  const homes = (regions: readonly string[]) => kept.map((account) => homeOf(account, regions));
  expect(homes(["east", "west"])).toEqual(homes(["east", "west", "north"]));
});

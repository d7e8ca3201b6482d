import fc from "fast-check";
import { expect, test } from "vitest";
import { failureWindow } from "./network-state.ts";

const hour = 3_600_000;
const at = 500 * hour;

test("the window counts wholly, the one before in proportion, earlier ones not", () => {
  const fields = { w: "500", k: "3", u: "2", pk: "4", pu: "4", r: "0" };
  expect(failureWindow(fields, hour, at)).toBe(13);
  expect(failureWindow(fields, hour, at + hour / 2)).toBe(9);
  expect(failureWindow(fields, hour, at + hour)).toBe(5);
  expect(failureWindow(fields, hour, at + 1.5 * hour)).toBe(2);
  expect(failureWindow(fields, hour, at + 2 * hour)).toBe(0);
  expect(failureWindow(fields, hour, at - 1)).toBe(13);
  expect(failureWindow({}, hour, at)).toBe(0);
});

test("whatever the fields contain, the result is a count", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("w", "k", "u", "pk", "pu"), fc.string()), fc.nat(), (fields, now) => {
      const count = failureWindow(fields, hour, now);
      expect(Number.isInteger(count) && count >= 0).toBe(true);
    }),
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { newPrimaryOf } from "./leave-old-primary.ts";

test.each([
  ["main 10.0.0.1 6379 10.0.0.2 6380", { host: "10.0.0.2", port: 6380 }],
  ["main 2001:db8::1 6379 2001:db8::2 6379", { host: "2001:db8::2", port: 6379 }],
  ["other 10.0.0.1 6379 10.0.0.2 6380", undefined],
  ["main 10.0.0.1 6379 10.0.0.2", undefined],
  ["main 10.0.0.1 6379 10.0.0.2 many", undefined],
  ["", undefined],
])("%j announces %j", (announcement, primary) => {
  expect(newPrimaryOf(announcement, "main")).toEqual(primary);
});

test("no announcement fails", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (announcement, master) => {
      const primary = newPrimaryOf(announcement, master);
      expect(primary === undefined || primary.port <= 99_999).toBe(true);
    }),
  );
});

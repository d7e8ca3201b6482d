import { expect, test } from "vitest";
import { createRenewedSet } from "./renewed-map.ts";

test("items that outlive hundreds of others keep their order, and may be removed during iteration", () => {
  const set = createRenewedSet<string>();
  set.add("first");
  for (let index = 0; index < 1000; index += 1) {
    set.add(`brief ${index}`);
    set.delete(`brief ${index}`);
  }
  set.add("last");
  set.add("first");
  expect(set.size).toBe(2);
  const walked: string[] = [];
  for (const item of set) {
    walked.push(item);
    set.delete(item);
  }
  expect(walked).toEqual(["first", "last"]);
  expect(set.size).toBe(0);
});

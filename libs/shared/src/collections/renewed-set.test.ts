import { expect, test } from "vitest";
import { createRenewedSet } from "./renewed-set.ts";

test("items that outlive hundreds of others keep their place, and leave while they are walked through", () => {
  const set = createRenewedSet<string>();
  set.add("first");
  for (let nth = 0; nth < 1000; nth += 1) {
    set.add(`brief ${nth}`);
    set.delete(`brief ${nth}`);
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

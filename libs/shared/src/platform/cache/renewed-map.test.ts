import fc from "fast-check";
import { expect, test } from "vitest";
import { createRenewedMap } from "./renewed-map.ts";

/** The number of entries that are added, and how many of the oldest or newest are removed. */
const step = fc.record({ come: fc.nat({ max: 300 }), go: fc.nat({ max: 350 }), oldest: fc.boolean() });

test("it holds the same entries as a Map, however many are added and removed", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), (steps) => {
      const renewed = createRenewedMap<number, string>();
      const plain = new Map<number, string>();
      let next = 0;
      for (const { come, go, oldest } of steps) {
        for (let count = 0; count < come; count += 1) {
          renewed.set(next, `entry ${next}`);
          plain.set(next, `entry ${next}`);
          next += 1;
        }
        const keys = [...plain.keys()];
        for (const key of oldest ? keys.slice(0, go) : keys.slice(-go)) {
          renewed.delete(key);
          plain.delete(key);
        }
        expect([...renewed.values()]).toEqual([...plain.values()]);
        expect(Array.from({ length: next }, (_, key) => renewed.get(key) === plain.get(key))).not.toContain(false);
      }
    }),
    { numRuns: 30 },
  );
});

test("entries may be removed during iteration, including those that survived a copy", () => {
  const renewed = createRenewedMap<number, number>();
  renewed.set(-1, -1);
  for (let key = 0; key < 1000; key += 1) {
    renewed.set(key, key);
    if (key < 990) renewed.delete(key);
  }
  const walked: number[] = [];
  for (const value of renewed.values()) {
    walked.push(value);
    renewed.delete(value);
  }
  expect(walked).toEqual([-1, 990, 991, 992, 993, 994, 995, 996, 997, 998, 999]);
  expect([...renewed.values()]).toEqual([]);
});

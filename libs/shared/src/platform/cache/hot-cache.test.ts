import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createHotCache } from "./hot-cache.ts";

const step = fc.record({ key: fc.nat({ max: 12 }), does: fc.constantFrom("get", "set", "delete") });

describe("the hot cache", () => {
  test("it respects its maximum size, returns only what was stored, and keeps the recently used half", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.array(step, { maxLength: 200 }), (maxEntries, steps) => {
        const cache = createHotCache<number>(maxEntries);
        const written = new Map<string, number>();
        let used: string[] = [];
        for (const [index, { key, does }] of steps.entries()) {
          const name = `key ${key}`;
          const isSure = used.slice(0, Math.floor(maxEntries / 2)).includes(name);
          if (does === "get") {
            const found = cache.get(name);
            if (isSure || found !== undefined) expect(found).toBe(written.get(name));
            if (found === undefined) used = used.filter((other) => other !== name);
            else used = [name, ...used.filter((other) => other !== name)];
          } else {
            used = used.filter((other) => other !== name);
            written.delete(name);
            if (does === "delete") cache.delete(name);
            else {
              cache.set(name, index);
              written.set(name, index);
              used.unshift(name);
            }
          }
          expect(cache.size).toBeLessThanOrEqual(maxEntries);
        }
      }),
    );
  });
});

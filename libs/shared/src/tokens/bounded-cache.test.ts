import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBoundedCache } from "./bounded-cache.ts";

const step = fc.record({ key: fc.nat({ max: 12 }), does: fc.constantFrom("get", "set", "delete") });

describe("bounded cache", () => {
  test("it never holds more than it may, never invents, and keeps the half that was used last", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.array(step, { maxLength: 200 }), (most, steps) => {
        const cache = createBoundedCache<number>(most);
        const written = new Map<string, number>();
        let used: string[] = [];
        for (const [nth, { key, does }] of steps.entries()) {
          const name = `key ${key}`;
          const isSure = used.slice(0, Math.floor(most / 2)).includes(name);
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
              cache.set(name, nth);
              written.set(name, nth);
              used.unshift(name);
            }
          }
          expect(cache.size).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});

import { describe, expect, it } from "vitest";
import { createExpiringCache } from "./expiring-cache.ts";

function at(start: number) {
  let now = start;
  return { clock: { now: () => now }, advance: (ms: number) => void (now += ms) };
}

describe("an expiring cache", () => {
  it("forgets after its time, and remembers nothing with a time of 0", () => {
    const { clock, advance } = at(1000);
    const cache = createExpiringCache<string>({ ttlMs: 20, maxEntries: 3, evict: "ttl" }, clock);
    cache.set("a", "1");
    advance(19);
    expect(cache.get("a")).toBe("1");
    advance(1);
    expect(cache.get("a")).toBeUndefined();
    expect(cache.size).toBe(0);
    const off = createExpiringCache<string>({ ttlMs: 0, maxEntries: 3, evict: "ttl" }, clock);
    off.set("a", "1");
    expect(off.size).toBe(0);
  });

  it.each([
    ["ttl", ["b", "c"]],
    ["lru", ["a", "c"]],
  ] as const)("never holds more than its bound (%s)", (evict, left) => {
    const { clock } = at(0);
    const cache = createExpiringCache<string>({ ttlMs: 20, maxEntries: 2, evict }, clock);
    cache.set("a", "a");
    cache.set("b", "b");
    cache.get("a");
    cache.set("c", "c");
    expect(["a", "b", "c"].filter((key) => cache.get(key) !== undefined)).toEqual(left);
  });

  it("forgets what belongs to one account", () => {
    const { clock } = at(0);
    const cache = createExpiringCache<string>({ ttlMs: 20, maxEntries: 9, evict: "ttl" }, clock);
    cache.set("1", "alice");
    cache.set("2", "bob");
    cache.deleteWhere((account) => account === "alice");
    expect([cache.get("1"), cache.get("2")]).toEqual([undefined, "bob"]);
  });
});

import { describe, expect, it } from "vitest";
import { createBoundedCache } from "./bounded-cache.ts";

function at(start: number) {
  let now = start;
  return { clock: { now: () => now }, advance: (ms: number) => void (now += ms) };
}

describe("the bounded cache", () => {
  it("drops an entry when its lifetime has passed, and keeps nothing with a lifetime of 0", () => {
    const { clock, advance } = at(1000);
    const cache = createBoundedCache<string>({ ttlMs: 20, maxEntries: 3, evict: "oldest", clock });
    cache.set("a", "1");
    advance(19);
    expect(cache.get("a")).toBe("1");
    advance(1);
    expect(cache.get("a")).toBeUndefined();
    expect(cache.size).toBe(0);
    const off = createBoundedCache<string>({ ttlMs: 0, maxEntries: 3, evict: "oldest", clock });
    off.set("a", "1");
    expect(off.size).toBe(0);
  });

  it.each([
    ["oldest", ["b", "c"]],
    ["least-used", ["a", "c"]],
  ] as const)("never holds more than its bound (%s)", (evict, left) => {
    const { clock } = at(0);
    const cache = createBoundedCache<string>({ ttlMs: 20, maxEntries: 2, evict, clock });
    cache.set("a", "a");
    cache.set("b", "b");
    cache.get("a");
    cache.set("c", "c");
    expect(["a", "b", "c"].filter((key) => cache.get(key) !== undefined)).toEqual(left);
  });

  it("drops the entries whose values match", () => {
    const { clock } = at(0);
    const cache = createBoundedCache<string>({ ttlMs: 20, maxEntries: 9, evict: "oldest", clock });
    cache.set("1", "alice");
    cache.set("2", "bob");
    cache.deleteWhere((account) => account === "alice");
    expect([cache.get("1"), cache.get("2")]).toEqual([undefined, "bob"]);
  });

  it("accepts a lifetime for a single entry", () => {
    const { clock, advance } = at(0);
    const cache = createBoundedCache<string>({ maxEntries: 9, evict: "least-used", clock });
    cache.set("short", "1", 1);
    cache.set("long", "2", 5);
    cache.set("none", "3", 0);
    advance(1);
    expect([cache.get("short"), cache.get("long"), cache.get("none")]).toEqual([undefined, "2", undefined]);
  });

  it("reports entries that a full cache removes, and no others", () => {
    const evicted: string[] = [];
    const cache = createBoundedCache<string>({
      maxEntries: 2,
      evict: "oldest",
      onEvict: (value) => void evicted.push(value),
    });
    cache.set("a", "a");
    cache.set("b", "b");
    cache.set("a", "a2");
    cache.set("c", "c");
    cache.delete("c");
    cache.clear();
    expect(evicted).toEqual(["b"]);
    expect(cache.size).toBe(0);
  });

  it("holds neither more entries nor a larger sum of sizes than its bounds", () => {
    const removed: string[] = [];
    const cache = createBoundedCache<string>({
      maxEntries: 3,
      evict: "least-used",
      sizes: { max: 10, of: (value) => value.length },
      onRemove: (value, key) => void removed.push(`${key} ${value}`),
    });
    for (const key of ["a", "b", "c", "d"]) cache.set(key, "1");
    expect([cache.size, cache.totalSize, removed]).toEqual([3, 3, ["a 1"]]);
    cache.set("e", "123456789");
    expect([cache.size, cache.totalSize, removed]).toEqual([2, 10, ["a 1", "b 1", "c 1"]]);
    cache.set("f", "more than ten");
    expect([cache.peek("f"), cache.size]).toEqual([undefined, 2]);
    cache.delete("e");
    expect(removed.at(-1)).toBe("e 123456789");
  });

  it("returns the entry that is removed next, which a peek does not change", () => {
    const cache = createBoundedCache<string>({ maxEntries: 3, evict: "least-used" });
    expect(cache.next()).toBeUndefined();
    cache.set("a", "1");
    cache.set("b", "2");
    cache.peek("a");
    expect(cache.next()).toEqual(["a", "1"]);
    cache.get("a");
    expect(cache.next()).toEqual(["b", "2"]);
  });

  it("allocates nothing for a bound that is never reached", () => {
    const cache = createBoundedCache<string>({ maxEntries: Number.MAX_SAFE_INTEGER, evict: "oldest" });
    cache.set("a", "1");
    expect(cache.get("a")).toBe("1");
  });
});

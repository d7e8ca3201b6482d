import type { Ok } from "@postern/shared/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MemoryCache, type MemoryCacheSettings } from "./memory-cache.ts";

const roomy: MemoryCacheSettings = { ttlMs: 1000, maxEntries: 100, maxBytes: 1_000_000 };
const digest = Buffer.alloc(32, 1);

function okOf(account: string, mail = "a@example.test"): Ok {
  return {
    outcome: "ok",
    account,
    accountField: "mail",
    totpSecretField: "",
    backend: 8,
    attributes: { mail: [mail] },
    memoryCache: "miss",
  };
}

function start(settings: Partial<MemoryCacheSettings> = {}) {
  const time = { now: 1000 };
  const cache = new MemoryCache({ ...roomy, ...settings }, { now: () => time.now });
  const keep = (context: string, account = context, username = account): boolean =>
    cache.set(context, { digest, decision: okOf(account), backendName: "sql", username }, cache.generation);
  return { cache, keep, time };
}

test("an entry is a hit until it expires", () => {
  const { cache, keep, time } = start();
  keep("alice");
  expect(cache.get("alice")?.decision).toEqual({ ...okOf("alice"), memoryCache: "hit" });
  time.now += 999;
  expect(cache.get("alice")).toBeDefined();
  time.now += 1;
  expect(cache.get("alice")).toBeUndefined();
  expect([cache.entries, cache.bytes]).toEqual([0, 0]);
});

test("a hit does not extend the lifetime of an entry", () => {
  const { cache, keep, time } = start();
  keep("alice");
  for (let step = 0; step < 3; step += 1) {
    time.now += 400;
    cache.get("alice");
  }
  expect(cache.get("alice")).toBeUndefined();
});

test("a caller cannot change a cached decision", () => {
  const { cache, keep } = start();
  keep("alice");
  const decision = cache.get("alice")?.decision;
  expect(() => decision?.attributes["mail"]?.push("x")).toThrow(TypeError);
  expect(Object.isFrozen(decision) && Object.isFrozen(decision?.attributes)).toBe(true);
});

test("a full cache removes the least recently used entry", () => {
  const { cache, keep, time } = start({ maxEntries: 2, ttlMs: 10_000 });
  keep("a");
  keep("b");
  time.now += 1000;
  cache.get("a");
  keep("c");
  expect(["a", "b", "c"].filter((name) => cache.get(name) !== undefined)).toEqual(["a", "c"]);
});

test("above the size limit the least recently used entry is removed, and an entry larger than the limit is not stored", () => {
  const { cache, keep } = start({ maxBytes: 5000 });
  for (const name of ["a", "b", "c", "d", "e", "f"]) keep(name);
  expect(cache.bytes).toBeLessThanOrEqual(5000);
  expect(cache.get("f")).toBeDefined();
  expect(cache.get("a")).toBeUndefined();
  cache.set(
    "big",
    { digest, decision: okOf("big", "x".repeat(5000)), backendName: "sql", username: "big" },
    cache.generation,
  );
  expect(cache.get("big")).toBeUndefined();
  expect(cache.get("f")).toBeDefined();
});

test("a flush removes all contexts of an account, by its name or a login name, and no other entries", () => {
  const { cache, keep } = start();
  keep("imap", "alice", "al");
  keep("smtp", "alice");
  keep("other", "bob");
  cache.flush(["alice"]);
  expect(["imap", "smtp", "other"].filter((name) => cache.get(name) !== undefined)).toEqual(["other"]);
  keep("imap", "alice", "al");
  cache.flush(["al"]);
  expect(cache.get("imap")).toBeUndefined();
});

test("the result of a login that was in progress during a flush is not stored", () => {
  const { cache } = start();
  const { generation } = cache;
  cache.flush(["somebody"]);
  cache.set("alice", { digest, decision: okOf("alice"), backendName: "sql", username: "alice" }, generation);
  expect(cache.get("alice")).toBeUndefined();
});

test("with a lifetime of 0 no entry is stored", () => {
  const { cache, keep } = start({ ttlMs: 0 });
  keep("alice");
  expect(cache.entries).toBe(0);
});

test("for any sequence of operations, the limits hold and no entry of a flushed name is found", () => {
  const names = fc.constantFrom("a", "b", "c", "d", "e", "f", "g");
  const action = fc.oneof(
    fc.record({ do: fc.constant("set" as const), context: names, account: names, username: names }),
    fc.record({ do: fc.constant("flush" as const), name: names }),
    fc.record({ do: fc.constant("wait" as const), ms: fc.nat(600) }),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const { cache, keep, time } = start({ maxEntries: 4, maxBytes: 5000 });
      for (const step of actions) {
        if (step.do === "set") keep(step.context, step.account, step.username);
        if (step.do === "wait") time.now += step.ms;
        if (step.do === "flush") {
          cache.flush([step.name]);
          for (const context of ["a", "b", "c", "d", "e", "f", "g"]) {
            expect(cache.get(context)?.decision.account).not.toBe(step.name);
          }
        }
        expect(cache.entries).toBeLessThanOrEqual(4);
        expect(cache.bytes).toBeLessThanOrEqual(5000);
      }
      time.now += 1000;
      for (const context of ["a", "b", "c", "d", "e", "f", "g"]) expect(cache.get(context)).toBeUndefined();
      expect([cache.entries, cache.bytes]).toEqual([0, 0]);
    }),
  );
});

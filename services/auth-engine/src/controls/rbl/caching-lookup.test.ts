import { expect, test } from "vitest";
import { type AddressLookup, createCachingLookup, type LookupAnswer } from "./address-lookup-dns.ts";

const found: LookupAnswer = { kind: "found", addresses: ["127.0.0.2"], ttlMs: 60_000 };

function setting(answer: LookupAnswer | Promise<LookupAnswer>, change: object = {}) {
  let now = 0;
  const queries: string[] = [];
  const lookup: AddressLookup = {
    lookUp: async (name) => {
      queries.push(name);
      return answer;
    },
  };
  const settings = { maxEntries: 3, maxTtlMs: 3_600_000, absentTtlMs: 5000, maxInFlight: 2, ...change };
  const cached = createCachingLookup(lookup, { now: () => now }, settings);
  return {
    queries,
    ask: (name: string) => cached.lookUp(name),
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

test.each([
  ["a record for its TTL", found, 60_000],
  ["an absence for its negative TTL", { kind: "absent" }, 5000],
  ["a failure for a second", { kind: "failed", reason: "x" }, 1000],
] satisfies [string, LookupAnswer, number][])("keeps %s", async (_what, answer, life) => {
  const { queries, ask, pass } = setting(answer);
  await ask("a");
  pass(life - 1);
  expect(await ask("a")).toEqual(answer);
  expect(queries).toEqual(["a"]);
  pass(1);
  await ask("a");
  expect(queries).toEqual(["a", "a"]);
});

test("no record is kept longer than the maximum TTL", async () => {
  const { queries, ask, pass } = setting(found, { maxTtlMs: 10 });
  await ask("a");
  pass(10);
  await ask("a");
  expect(queries).toHaveLength(2);
});

test("a full cache removes the least recently used entry", async () => {
  const { queries, ask } = setting(found);
  for (const name of ["a", "b", "c", "a", "d", "a", "b"]) await ask(name);
  expect(queries).toEqual(["a", "b", "c", "d", "b"]);
});

test("concurrent lookups of the same name share one query, and a lookup beyond the limit fails", async () => {
  const late = Promise.withResolvers<LookupAnswer>();
  const { queries, ask } = setting(late.promise);
  const first = ask("a");
  const second = ask("a");
  const other = ask("b");
  expect(await ask("c")).toEqual({ kind: "failed", reason: "too many queries" });
  late.resolve(found);
  expect(await Promise.all([first, second, other])).toEqual([found, found, found]);
  expect(queries).toEqual(["a", "b"]);
});

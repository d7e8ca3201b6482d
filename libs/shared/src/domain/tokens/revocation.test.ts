import { expect, test } from "vitest";
import { createRevocation } from "./revocation.ts";

function fixture(values: Map<string, string>) {
  const clock = { nowMs: 0, now: () => clock.nowMs };
  const reads: string[] = [];
  const errors: unknown[] = [];
  const redis = {
    isAway: false,
    get: async (key: unknown) => {
      reads.push(String(key));
      if (redis.isAway) throw new Error("away");
      return values.get(String(key)) ?? null;
    },
  };
  const revocation = createRevocation(redis, "p:", {
    clock,
    ttlMs: 5000,
    timeoutMs: 1000,
    maxEntries: 10,
    onError: (error) => errors.push(error),
  });
  return { clock, reads, errors, redis, revocation };
}

const facts = { id: "t1", subjectDigest: "s1", epoch: 3 };

test("a result is valid for its time, and refreshed in the background from half of it on", async () => {
  const { clock, reads, revocation } = fixture(new Map());
  expect(await Promise.all([revocation.check(facts), revocation.check(facts)])).toEqual(["active", "active"]);
  expect(reads).toEqual(["p:token:denied:{t1}", "p:token:epoch:{s1}"]);
  clock.nowMs = 2400;
  expect(revocation.check(facts)).toBe("active");
  expect(reads).toHaveLength(2);
  clock.nowMs = 2600;
  expect(revocation.check(facts)).toBe("active");
  expect(reads).toHaveLength(4);
});

test.each([
  ["p:token:denied:{t1}", "1", "revoked"],
  ["p:token:epoch:{s1}", "4", "revoked"],
  ["p:token:epoch:{s1}", "3", "active"],
  ["p:token:epoch:{s1}", "damaged", "revoked"],
])("%s = %s: %s", async (key, value, state) => {
  expect(await fixture(new Map([[key, value]])).revocation.check(facts)).toBe(state);
});

test("without Redis a result stays valid for its time, then the check is unavailable; when Redis returns it is queried immediately", async () => {
  const { clock, redis, revocation } = fixture(new Map());
  await revocation.check(facts);
  redis.isAway = true;
  clock.nowMs = 4999;
  expect(revocation.check(facts)).toBe("active");
  clock.nowMs = 5000;
  expect(await revocation.check(facts)).toBe("unavailable");
  redis.isAway = false;
  expect(await revocation.check(facts)).toBe("active");
});

test("another token of a subject with a known epoch is only looked up in the denylist", async () => {
  const { reads, revocation } = fixture(new Map([["p:token:denied:{t2}", "1"]]));
  expect(await revocation.check(facts)).toBe("active");
  expect(await revocation.check({ ...facts, id: "t2" })).toBe("revoked");
  expect(reads).toEqual(["p:token:denied:{t1}", "p:token:epoch:{s1}", "p:token:denied:{t2}"]);
});

test("a subject's new epoch is noticed within the time of a result, for known and for new tokens", async () => {
  const values = new Map<string, string>();
  const { clock, revocation } = fixture(values);
  expect(await revocation.check(facts)).toBe("active");
  values.set("p:token:epoch:{s1}", "4");
  clock.nowMs = 5000;
  expect(await revocation.check(facts)).toBe("revoked");
  expect(await revocation.check({ ...facts, id: "t2" })).toBe("revoked");
  expect(await revocation.check({ ...facts, id: "t3", epoch: 4 })).toBe("active");
});

test("an outage is reported once, and so is the next one", async () => {
  const { clock, errors, redis, revocation } = fixture(new Map());
  for (const isAway of [true, true, false, true]) {
    redis.isAway = isAway;
    clock.nowMs += 5000;
    await revocation.check(facts);
  }
  expect(errors).toHaveLength(2);
});

import { createSecretKey } from "node:crypto";
import { accountDigest, differencePlace } from "@postern/shared/domain/shadow";
import { createKeyedDigest } from "@postern/shared/platform/crypto";
import { expect, test } from "vitest";
import { createShadowCounter } from "./shadow-counter.ts";
import { createShadowReporting } from "./shadow-writer.ts";

const digest = createKeyedDigest(createSecretKey(Buffer.alloc(32)));
const clock = { now: () => 1_900_000_000_000 };
const about = { account: "alice@example.org", protocol: "imap", isKnown: true };

test("a batch has the counts since the last one, and the last state of each account", () => {
  const counter = createShadowCounter(clock, digest);
  expect(counter.take()).toBeUndefined();
  counter.compared(about, new Map([["missing", {}]]));
  counter.compared({ ...about, protocol: "x-site" }, new Map([["missing", undefined]]));
  counter.compared(about, new Map([["missing", undefined]]));
  counter.omitted("dropped");
  const { number, counts, differences } = counter.take() ?? {};
  expect(number).toBe(1);
  expect(Object.fromEntries(counts ?? [])).toEqual({
    compared: 3,
    different: 1,
    dropped: 1,
    "kind:missing": 1,
    "protocol:imap:compared": 2,
    "protocol:imap:different": 1,
    "protocol:other:compared": 1,
    "domain:example.org:compared": 3,
    "domain:example.org:different": 1,
  });
  expect([...(differences ?? [])]).toEqual([
    [differencePlace("missing", "other", accountDigest("alice@example.org", digest)), undefined],
    [differencePlace("missing", "imap", accountDigest("alice@example.org", digest)), undefined],
  ]);
  expect(counter.take()).toBeUndefined();
});

test("names that no backend knows are neither counted by domain nor kept", () => {
  const counter = createShadowCounter(clock, digest);
  counter.compared({ ...about, isKnown: false }, new Map([["added", undefined]]));
  const { counts, differences } = counter.take() ?? {};
  expect([[...(counts?.keys() ?? [])], differences?.size]).toEqual([["compared", "protocol:imap:compared"], 0]);
});

test("while nothing is written, memory is bounded, no count is lost, and batches are small", () => {
  const counter = createShadowCounter(clock, digest);
  for (let index = 0; index < 20_000; index += 1)
    counter.compared({ ...about, account: `a@d${index}.example` }, new Map([["missing", {}]]));
  counter.omitted("dropped");
  const sizes: number[] = [];
  const totals = new Map<string, number>();
  expect(counter.waiting()).toBe(10);
  for (let batch = counter.take(); batch !== undefined; batch = counter.take()) {
    expect(batch.counts.size).toBeLessThanOrEqual(2100);
    for (const [field, count] of batch.counts) totals.set(field, (totals.get(field) ?? 0) + count);
    sizes.push(batch.differences.size);
  }
  expect([Math.max(...sizes), sizes.reduce((sum, size) => sum + size, 0)]).toEqual([500, 5000]);
  const fields = ["dropped", "kind:missing", "domain:*:compared", "domain:*:different"];
  expect(fields.map((field) => totals.get(field))).toEqual([1, 20_000, 19_000, 19_000]);
});

test("agreements take no room of differences, which are written first; an account has one of both", () => {
  const counter = createShadowCounter(clock, digest);
  const agreed = new Map([["missing", undefined] as const]);
  for (let index = 0; index < 6000; index += 1) counter.compared({ ...about, account: `a${index}` }, agreed);
  for (let index = 0; index < 5000; index += 1)
    counter.compared({ ...about, account: `b${index}` }, new Map([["missing", {}]]));
  counter.compared({ ...about, account: "b0" }, agreed);
  expect(counter.waiting()).toBe(20);
  const taken = Array.from({ length: 20 }, () => [...(counter.take()?.differences.values() ?? [])]);
  expect(taken.map((places) => places.filter((one) => one !== undefined).length)).toEqual([
    ...Array.from({ length: 9 }, () => 500),
    499,
    ...Array.from({ length: 10 }, () => 0),
  ]);
});

test("a flush writes what was there when it began, and sends again what Redis did not confirm", async () => {
  const counter = createShadowCounter(clock, digest);
  const written: (number | undefined)[] = [];
  let isAway = true;
  counter.omitted("dropped");
  const reporting = createShadowReporting(counter, async ({ number }) => {
    written.push(number);
    // Counted while it is written.
    if (written.length < 50) counter.omitted("dropped");
    if (isAway) throw new Error("Redis is away");
  });
  await reporting.flush();
  isAway = false;
  await reporting.flush();
  expect(written).toEqual([1, 1, 2]);
  await reporting.close();
  expect(written).toEqual([1, 1, 2, 3]);
});

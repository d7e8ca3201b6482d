import { createSecretKey } from "node:crypto";
import { differencePlace } from "@postern/shared/domain/shadow";
import { createKeyedDigest } from "@postern/shared/platform/crypto";
import { expect, test } from "vitest";
import { createShadowCounter } from "./shadow-counter.ts";

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
    [differencePlace("missing", "alice@example.org", { protocol: "imap", digest }), undefined],
    [differencePlace("missing", "alice@example.org", { protocol: "other", digest }), undefined],
  ]);
  expect(counter.take()).toBeUndefined();
});

test("names that no backend knows are neither counted by domain nor kept", () => {
  const counter = createShadowCounter(clock, digest);
  counter.compared({ ...about, isKnown: false }, new Map([["added", undefined]]));
  const { counts, differences } = counter.take() ?? {};
  expect([[...(counts?.keys() ?? [])], differences?.size]).toEqual([["compared", "protocol:imap:compared"], 0]);
});

test("while nothing is written, memory is bounded; batches are small", () => {
  const counter = createShadowCounter(clock, digest);
  for (let index = 0; index < 20_000; index += 1)
    counter.compared({ ...about, account: `a@d${index}.example` }, new Map([["missing", {}]]));
  const sizes: number[] = [];
  for (let batch = counter.take(); batch !== undefined; batch = counter.take()) {
    expect(batch.counts.size).toBeLessThanOrEqual(2000);
    sizes.push(batch.differences.size);
  }
  expect([Math.max(...sizes), sizes.reduce((sum, size) => sum + size, 0)]).toEqual([500, 5000]);
});

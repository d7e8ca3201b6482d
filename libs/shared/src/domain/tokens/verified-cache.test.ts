import { expect, test } from "vitest";
import type { VerifiedToken } from "./claims.ts";
import { createVerifiedCache } from "./token-verifier.ts";

function token(expiresAtMs: number): VerifiedToken {
  return {
    kind: "access",
    clientId: "mail",
    subject: "mail",
    scopes: [],
    expiresAtMs,
    revocation: { id: "1", subjectDigest: "2", epoch: 0 },
  };
}

test("with the cache disabled no token receives the result of another, even when the clock is set back", () => {
  const times = [1000, 1000, 0, 0, 0];
  const cache = createVerifiedCache(0, 10, { now: () => times.shift() ?? 0 });
  cache.set(cache.digest("one"), token(9000));
  expect(cache.get(cache.digest("one"))).toBeUndefined();
  expect(cache.get(cache.digest("another"))).toBeUndefined();
});

test("an entry belongs to its token, and ends with its lifetime or its token", () => {
  const time = { now: 1000 };
  const cache = createVerifiedCache(500, 10, { now: () => time.now });
  const [long, short] = [token(9000), token(1200)];
  cache.set(cache.digest("long"), long);
  cache.set(cache.digest("short"), short);
  expect(cache.get(cache.digest("long"))).toBe(long);
  expect(cache.get(cache.digest("other"))).toBeUndefined();
  time.now = 1200;
  expect(cache.get(cache.digest("short"))).toBeUndefined();
  time.now = 1500;
  expect(cache.get(cache.digest("long"))).toBeUndefined();
});

test("an entry ends with its token even if its clock and that of tokens disagree", () => {
  const time = { now: 7000 };
  const tokenClock = { now: () => 1000 };
  const cache = createVerifiedCache(500, 10, { now: () => time.now }, tokenClock);
  const [live, expired] = [token(1200), token(900)];
  cache.set(cache.digest("live"), live);
  cache.set(cache.digest("expired"), expired);
  expect(cache.get(cache.digest("expired"))).toBeUndefined();
  time.now = 7199;
  expect(cache.get(cache.digest("live"))).toBe(live);
  time.now = 7200;
  expect(cache.get(cache.digest("live"))).toBeUndefined();
});

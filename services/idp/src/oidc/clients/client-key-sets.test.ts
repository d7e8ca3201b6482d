import { generateKeyPairSync } from "node:crypto";
import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import { createClientKeySets } from "./client-key-sets.ts";

const uri = "https://client.test/jwks";
const { publicKey } = generateKeyPairSync("ed25519");
const jwk = (kid?: string): object => ({
  ...publicKey.export({ format: "jwk" }),
  ...(kid === undefined ? {} : { kid }),
});
const wanted = (kid?: string) => ({ alg: "EdDSA", kid });

/** A client's key server and our cache of its keys, with a clock that the tests set. */
function siteOf(...kids: readonly (string | undefined)[]) {
  const state = { kids, isAway: false, requestCount: 0, nowMs: 1_000_000 };
  const errors: unknown[] = [];
  const sets = createClientKeySets(
    () => async () => {
      state.requestCount += 1;
      if (state.isAway) throw new Error("connection refused");
      return { keys: state.kids.map((kid) => jwk(kid)) };
    },
    { now: () => state.nowMs },
    (_uri, error) => errors.push(error),
  );
  const kidsFound = async (kid?: string) => (await sets.find(uri, wanted(kid))).map((key) => key.kid);
  return { state, errors, sets, kidsFound };
}

test("concurrent calls cause one request for a key set, and a set older than five minutes is read again", async () => {
  const { state, kidsFound } = siteOf("a");
  expect(await Promise.all(Array.from({ length: 20 }, () => kidsFound("a")))).toEqual(
    Array.from({ length: 20 }, () => ["a"]),
  );
  state.nowMs += 300_000;
  await kidsFound("a");
  expect(state.requestCount).toBe(1);
  state.nowMs += 1;
  await kidsFound("a");
  expect(state.requestCount).toBe(2);
});

test("an unknown kid causes a request, at most once in five seconds", async () => {
  const { state, kidsFound } = siteOf("a");
  await kidsFound("a");
  for (let index = 0; index < 50; index += 1) expect(await kidsFound(`k${index}`)).toEqual([]);
  expect(state.requestCount).toBe(1);
  state.nowMs += 5000;
  state.kids = ["a", "b"];
  expect(await kidsFound("b")).toEqual(["b"]);
  expect(state.requestCount).toBe(2);
});

test("a key that was removed from the set is rejected after five minutes", async () => {
  const { state, kidsFound } = siteOf("a");
  await kidsFound("a");
  state.kids = ["b"];
  state.nowMs += 300_001;
  expect(await kidsFound("a")).toEqual([]);
});

test("while the key set is unavailable, its keys remain valid for another hour; after that, verification is a temporary failure", async () => {
  const { state, errors, kidsFound } = siteOf("a");
  await kidsFound("a");
  state.isAway = true;
  state.nowMs += 3_900_000;
  expect(await kidsFound("a")).toEqual(["a"]);
  state.nowMs += 5001;
  await expect(kidsFound("a")).rejects.toThrow(AppError);
  // Of consecutive failures, the first is reported.
  expect(errors).toHaveLength(1);
  state.isAway = false;
  state.nowMs += 5000;
  expect(await kidsFound("a")).toEqual(["a"]);
});

test("a key set that was never read, or an unknown kid while it is unavailable, is a temporary failure, not a client error", async () => {
  const { state, kidsFound } = siteOf("a");
  state.isAway = true;
  await expect(kidsFound("a")).rejects.toThrow(AppError);
  state.isAway = false;
  // The set is not requested again within the pause, so the assertion still cannot be verified.
  await expect(kidsFound("a")).rejects.toThrow(AppError);
  state.nowMs += 5000;
  expect(await kidsFound("a")).toEqual(["a"]);
  state.isAway = true;
  state.nowMs += 5000;
  await expect(kidsFound("b")).rejects.toThrow(AppError);
});

test("after a signature that no key verifies, the key set is read again unless it was read within the last five seconds", async () => {
  const { state, sets, kidsFound } = siteOf(undefined);
  await kidsFound();
  await sets.findAnew(uri, wanted());
  expect(state.requestCount).toBe(1);
  state.nowMs += 5000;
  await sets.findAnew(uri, wanted());
  expect(state.requestCount).toBe(2);
  state.nowMs += 5000;
  state.isAway = true;
  await expect(sets.findAnew(uri, wanted())).rejects.toThrow(AppError);
  // The previous keys still verify assertions that were signed with them.
  expect(await kidsFound()).toEqual([undefined]);
});

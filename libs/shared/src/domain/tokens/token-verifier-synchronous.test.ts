import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { SignJWT } from "jose";
import { expect, onTestFinished, test } from "vitest";
import { createKeySource, type KeySource, type VerificationKey } from "./key-source.ts";
import { createTokenVerifier } from "./token-verifier.ts";

const nowMs = 1_790_000_000_000;
const now = nowMs / 1000;
const issuer = "https://idp.example.test";
const first = generateKeyPairSync("ec", { namedCurve: "P-256" });
const second = generateKeyPairSync("ec", { namedCurve: "P-256" });

function jwk(key: KeyObject, kid: string) {
  return { ...key.export({ format: "jwk" }), kid, use: "sig" };
}

function sign(claims: object = {}, key = first.privateKey, kid = "first"): Promise<string> {
  const good = { client_id: "m2m", token_type: "access_token", jti: "one", exp: now + 300 };
  return new SignJWT({ ...good, ...claims })
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid })
    .setIssuer(issuer)
    .setSubject("m2m")
    .setAudience("service:backchannel")
    .setIssuedAt(now)
    .sign(key);
}

/** A key source that has loaded the first key, and can be queried again. */
async function source() {
  const listed = { keys: [jwk(first.publicKey, "first")] };
  const state = { nowMs, loads: 0 };
  const keys = createKeySource({
    load: async () => {
      state.loads += 1;
      return listed;
    },
    clock: { now: () => state.nowMs },
    refreshMs: 600_000,
    retryAfterMs: 5000,
    timeoutMs: 1000,
    onError: () => undefined,
  });
  onTestFinished(() => keys.close());
  await keys.find("first");
  state.nowMs += 5000;
  return { keys, listed, state };
}

function verifierWith(keys: KeySource) {
  const clock = { now: () => nowMs };
  return createTokenVerifier({
    access: { clock, skewSeconds: 10, issuer, audiences: ["service:backchannel"], keys },
    service: undefined,
    revocation: { check: () => "active" },
    clock,
    cacheTtlMs: 0,
    maxCached: 10,
    onError: () => undefined,
  });
}

test("a token is verified synchronously if its key is in memory and its revocation state is known", async () => {
  const verifier = verifierWith((await source()).keys);
  const tokens = [await sign(), await sign({ exp: now - 60 }), await sign({}, second.privateKey)];
  expect(tokens.map((token) => verifier.verify(token))).toMatchObject([
    { outcome: "ok" },
    { outcome: "invalid", reason: "expired" },
    { outcome: "invalid", reason: "signature" },
  ]);
});

test("tokens with a missing key wait for it, and cause one query together", async () => {
  const { keys, listed, state } = await source();
  const verifier = verifierWith(keys);
  listed.keys.push(jwk(second.publicKey, "second"));
  const signed = Array.from({ length: 20 }, (_, index) => sign({ jti: `waits-${index}` }, second.privateKey, "second"));
  const verdicts = (await Promise.all(signed)).map((token) => verifier.verify(token));
  expect(verdicts.every((verdict) => verdict instanceof Promise)).toBe(true);
  for (const verdict of verdicts) expect(await verdict).toMatchObject({ outcome: "ok" });
  expect(state.loads).toBe(2);
  expect(verifier.verify(await sign({}, second.privateKey, "second"))).toMatchObject({ outcome: "ok" });
});

function throwing(): never {
  throw new Error("bug");
}

function broken(held: () => VerificationKey | undefined): KeySource {
  return { held, find: () => Promise.reject(new Error("bug")), close: () => undefined };
}

test("an exception during verification is a temporary failure, synchronously or not", async () => {
  const token = await sign();
  const undecided = { outcome: "unavailable", cause: "keys" };
  expect(verifierWith(broken(throwing)).verify(token)).toEqual(undecided);
  expect(await verifierWith(broken(() => undefined)).verify(token)).toEqual(undecided);
});

test("a token with altered characters is invalid, and a cached header is not used for another one", async () => {
  const verifier = verifierWith((await source()).keys);
  const token = await sign();
  expect(verifier.verify(token)).toMatchObject({ outcome: "ok" });
  const at = token.indexOf(".") + 5;
  const twin = String.fromCharCode(token.charCodeAt(at) + 256);
  const changed = token.slice(0, at) + twin + token.slice(at + 1);
  expect(verifier.verify(changed)).toEqual({ outcome: "invalid", reason: "malformed" });
  const other = token.slice(token.indexOf("."));
  const header = Buffer.from(JSON.stringify({ alg: "none", typ: "at+jwt", kid: "first" })).toString("base64url");
  expect(verifier.verify(header + other)).toEqual({ outcome: "invalid", reason: "algorithm" });
  expect(verifier.verify(token)).toMatchObject({ outcome: "ok" });
});

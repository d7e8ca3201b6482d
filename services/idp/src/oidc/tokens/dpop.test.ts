import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import fc from "fast-check";
import { calculateJwkThumbprint, SignJWT } from "jose";
import { expect, test } from "vitest";
import { createCheckProof, createDpopNonces, type ProvenRequest } from "./dpop.ts";

const nowMs = 1_800_000_000_000;
const clock = { now: () => nowMs };
const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const other = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwk = pair.publicKey.export({ format: "jwk" });
const ath = createHash("sha256").update("token").digest("base64url");
const facts = { htm: "GET", htu: "https://idp.test/oidc/userinfo", jti: "one", iat: nowMs / 1000, ath };

const request: ProvenRequest = {
  method: "GET",
  url: "https://idp.test/oidc/userinfo",
  accessToken: "token",
  thumbprint: await calculateJwkThumbprint(jwk),
};

function proofOf(claims: object, header: object = {}, key: KeyObject = pair.privateKey): Promise<string> {
  const all = Object.fromEntries(Object.entries({ ...facts, ...claims }).filter(([, value]) => value !== undefined));
  return new SignJWT(all).setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk, ...header }).sign(key);
}

function checker(nonces?: ReturnType<typeof createDpopNonces>) {
  const seen = new Set<string>();
  return createCheckProof(
    { unseen: async (id) => seen.size < seen.add(id).size },
    ["ES256", "RS256"],
    clock,
    () => nonces,
  );
}

test("a proof for the request is accepted once", async () => {
  const check = checker();
  const proof = await proofOf({ htu: `${facts.htu}?x=1#y` });
  expect(await check(proof, request)).toBeUndefined();
  expect(await check(proof, request)).toMatchObject({ error: "invalid_dpop_proof" });
});

test.each([
  ["another method", { htm: "POST" }],
  ["another URL", { htu: "https://idp.test/oidc/token" }],
  ["no URL", { htu: undefined }],
  ["another token", { ath: "x" }],
  ["no token", { ath: undefined }],
  ["no jti", { jti: undefined }],
  ["a jti that is no text", { jti: 3 }],
  ["no iat", { iat: undefined }],
  ["an old time", { iat: facts.iat - 301 }],
  ["a future time", { iat: facts.iat + 301 }],
])("a proof with %s is refused", async (_what, claims) => {
  expect(await checker()(await proofOf(claims), request)).toMatchObject({ error: "invalid_dpop_proof" });
});

test.each([
  ["another type", { typ: "JWT" }, undefined],
  ["no key", { jwk: undefined }, undefined],
  ["a private key", { jwk: pair.privateKey.export({ format: "jwk" }) }, undefined],
  ["a signature of another key", {}, other.privateKey],
])("a proof with %s is refused", async (_what, header, key) => {
  expect(await checker()(await proofOf({}, header, key), request)).toMatchObject({ error: "invalid_dpop_proof" });
});

test("a missing proof and a proof of another key are reported as such", async () => {
  const check = checker();
  expect(await check(undefined, request)).toEqual({
    error: "invalid_dpop_proof",
    description: "the DPoP proof is missing",
  });
  const strange = await proofOf({}, { jwk: other.publicKey.export({ format: "jwk" }) }, other.privateKey);
  expect(await check(strange, request)).toMatchObject({ error: "invalid_token" });
});

test("no header makes the check fail otherwise than by a refusal", async () => {
  const part = fc.oneof(
    fc.base64String(),
    fc.json().map((text) => Buffer.from(text).toString("base64url")),
  );
  const headers = fc.oneof(
    fc.string(),
    fc.tuple(part, part, part).map((parts) => parts.join(".")),
  );
  await fc.assert(
    fc.asyncProperty(headers, async (text) => {
      expect(await checker()(text, request)).toMatchObject({ error: "invalid_dpop_proof" });
    }),
  );
});

test("a required nonce replaces the time; replicas with the same secret accept each other's", async () => {
  const secret = Buffer.alloc(32, 7);
  const check = checker(createDpopNonces(secret, clock));
  const challenge = await check(await proofOf({}), request);
  expect(challenge).toMatchObject({ error: "use_dpop_nonce" });
  const nonce = challenge?.error === "use_dpop_nonce" ? challenge.nonce : "";
  const replica = checker(createDpopNonces(secret, { now: () => nowMs + 60_000 }));
  expect(await replica(await proofOf({ nonce, iat: 0 }), request)).toBeUndefined();
  const later = checker(createDpopNonces(secret, { now: () => nowMs + 300_000 }));
  const foreign = checker(createDpopNonces(Buffer.alloc(32, 8), clock));
  for (const one of [later, foreign]) {
    expect(await one(await proofOf({ nonce }), request)).toMatchObject({ error: "use_dpop_nonce" });
  }
});

import { createHmac, createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import fc from "fast-check";
import { SignJWT } from "jose";
import { afterAll, describe, expect, test } from "vitest";
import { Secret } from "../../platform/crypto/secret.ts";
import type { TokenVerdict } from "./claims.ts";
import { createKeySource } from "./key-source.ts";
import type { Revocation, RevocationState } from "./revocation.ts";
import { serviceTokenKey, signServiceToken } from "./service-token.ts";
import { createTokenVerifier, maxTokenLength } from "./token-verifier.ts";

const nowMs = 1_790_000_000_000;
const now = nowMs / 1000;
const clock = { now: () => nowMs };
const issuer = "https://idp.example.test";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ed = generateKeyPairSync("ed25519");
const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 });
const secret = new Secret("a-signing-key-of-some-thirty-two-letters");

function jwk(key: KeyObject, kid: string) {
  return { ...key.export({ format: "jwk" }), kid, use: "sig" };
}

const jwks = { keys: [jwk(rsa.publicKey, "rsa"), jwk(ec.publicKey, "ec"), jwk(ed.publicKey, "ed")] };
const keys = createKeySource({
  load: async () => jwks,
  clock,
  refreshMs: 60_000,
  retryAfterMs: 1000,
  timeoutMs: 1000,
  onError: () => undefined,
});
afterAll(() => keys.close());

let state: RevocationState = "active";
const looks: string[] = [];
const revocation: Revocation = {
  check: ({ id }) => {
    looks.push(id);
    return state;
  },
};

function verifierWith(cacheTtlMs: number) {
  const common = { clock, skewSeconds: 10 };
  return createTokenVerifier({
    access: { ...common, issuer, audiences: ["service:backchannel"], keys },
    service: { ...common, key: serviceTokenKey(secret), identifier: "service" },
    revocation,
    clock,
    cacheTtlMs,
    maxCached: 100,
    onError: () => undefined,
  });
}

const verifier = verifierWith(0);
const verify = async (token: string): Promise<TokenVerdict> => verifier.verify(token);

const good = {
  iss: issuer,
  sub: "m2m",
  aud: ["service:backchannel", "other"],
  iat: now,
  exp: now + 300,
  jti: "token-1",
  scope: "service:authenticate service:admin",
  client_id: "m2m",
  token_type: "access_token",
};

type Fields = Readonly<Record<string, unknown>>;

function sign(claims: Fields = {}, header: Fields = {}, key: KeyObject = rsa.privateKey): Promise<string> {
  return new SignJWT({ ...good, ...claims })
    .setProtectedHeader({ alg: "RS256", typ: "at+jwt", kid: "rsa", ...header })
    .sign(key);
}

function encoded(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

describe("access tokens (RFC 9068, RFC 8725)", () => {
  test.each([
    ["RS256", "rsa", rsa.privateKey],
    ["PS256", "rsa", rsa.privateKey],
    ["ES256", "ec", ec.privateKey],
    ["EdDSA", "ed", ed.privateKey],
  ] as const)("%s is verified", async (alg, kid, key) => {
    const verdict = await verify(await sign({}, { alg, kid }, key));
    expect(verdict).toMatchObject({
      outcome: "ok",
      token: { kind: "access", subject: "m2m", scopes: ["service:authenticate", "service:admin"] },
    });
  });

  test("typ may be application/at+jwt, in any case", async () => {
    expect((await verify(await sign({}, { typ: "application/AT+JWT" }))).outcome).toBe("ok");
  });

  test.each([
    ["expired", { exp: now - 11 }],
    ["not_yet_valid", { nbf: now + 11 }],
    ["issuer", { iss: "https://other.example.test" }],
    ["claims", { exp: undefined }],
    ["claims", { jti: undefined }],
    ["claims", { client_id: undefined }],
    ["claims", { scope: ["service:admin"] }],
    ["claims", { jti: "a}b" }],
    ["claims", { epoch: -1 }],
  ] as const)("a token is invalid (%s) with %j", async (reason, claims) => {
    expect(await verify(await sign(claims))).toEqual({ outcome: "invalid", reason });
  });

  test("clock skew is tolerated up to its limit", async () => {
    expect((await verify(await sign({ exp: now - 9 }))).outcome).toBe("ok");
    expect((await verify(await sign({ nbf: now + 9 }))).outcome).toBe("ok");
  });

  test.each([
    [{ aud: "demo-web" }, {}],
    [{ aud: "service:jwt-refresh" }, {}],
    [{ token_type: "Bearer" }, {}],
    [{ token_type: undefined }, {}],
    [{}, { typ: "JWT" }],
    [{}, { typ: undefined }],
    [{}, { typ: "logout+jwt" }],
  ])(
    "a valid token of our issuer that is not an access token for the back channel is rejected: %j %j",
    async (claims, header) => {
      expect(await verify(await sign(claims, header))).toEqual({ outcome: "wrong_token_type" });
    },
  );
});

describe("attacks", () => {
  test("alg none, in any spelling, is rejected", async () => {
    for (const alg of ["none", "None", "NONE", ""]) {
      for (const signature of ["", "AAAA"]) {
        const token = `${encoded({ alg, typ: "at+jwt", kid: "rsa" })}.${encoded(good)}.${signature}`;
        expect((await verify(token)).outcome).toBe("invalid");
      }
    }
  });

  test("HS256 with the public RSA key as its secret is rejected", async () => {
    const pem = rsa.publicKey.export({ type: "spki", format: "pem" });
    const input = `${encoded({ alg: "HS256", typ: "at+jwt", kid: "rsa" })}.${encoded(good)}`;
    for (const key of [pem, rsa.publicKey.export({ type: "spki", format: "der" }), encoded(jwks.keys[0])]) {
      const token = `${input}.${createHmac("sha256", key).update(input).digest("base64url")}`;
      expect(await verify(token)).toEqual({ outcome: "invalid", reason: "algorithm" });
    }
  });

  test("a token of the JWT endpoints signed with an RSA key is rejected", async () => {
    const input = `${encoded({ alg: "RS256", typ: "service-access+jwt", kid: "rsa" })}.${encoded(good)}`;
    const token = `${input}.${createSign("sha256").update(input).sign(rsa.privateKey, "base64url")}`;
    expect(await verify(token)).toEqual({ outcome: "invalid", reason: "algorithm" });
  });

  test("an algorithm that differs from the key's is rejected", async () => {
    expect(await verify(await sign({}, { alg: "ES256", kid: "rsa" }, ec.privateKey))).toEqual({
      outcome: "invalid",
      reason: "algorithm",
    });
  });

  test("a key inside the token is ignored", async () => {
    const header = { kid: "mine", jwk: stranger.publicKey.export({ format: "jwk" }), jku: "https://evil.example.test" };
    expect(await verify(await sign({}, header, stranger.privateKey))).toEqual({
      outcome: "invalid",
      reason: "unknown_key",
    });
    expect(await verify(await sign({}, { ...header, kid: "rsa" }, stranger.privateKey))).toEqual({
      outcome: "invalid",
      reason: "signature",
    });
  });

  test("critical extensions are rejected, whether or not the library knows them", async () => {
    for (const header of [{ crit: ["b64"], b64: true }, { crit: [] }, { crit: ["exp"], exp: 1 }, { b64: false }]) {
      const [, payload, signature] = (await sign()).split(".");
      const token = `${encoded({ alg: "RS256", typ: "at+jwt", kid: "rsa", ...header })}.${payload}.${signature}`;
      expect(await verify(token)).toEqual({ outcome: "invalid", reason: "malformed" });
    }
  });

  test("a huge token is rejected before any of it is read", () => {
    const verdict = verifier.verify(`a.${"a".repeat(maxTokenLength)}.a`);
    expect(verdict).toEqual({ outcome: "invalid", reason: "too_large" });
  });

  test("no other text is a valid token, and none makes the verifier throw", async () => {
    const part = fc.oneof(fc.base64String(), fc.json().map(encoded), fc.string());
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
        expect((await verify(parts.join("."))).outcome).toBe("invalid");
      }),
    );
  });

  test("a token with one changed character is rejected", async () => {
    const token = await sign();
    const lastOfSignature = token.length - 1;
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 2), fc.constantFrom("A", "b", "9", "-", "."), async (at, character) => {
        fc.pre(token[at] !== character && at !== lastOfSignature);
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        expect((await verify(changed)).outcome).toBe("invalid");
      }),
      { numRuns: 200 },
    );
  });
});

describe("tokens of the JWT endpoints", () => {
  const service = {
    iss: "service:jwt",
    sub: "operator",
    aud: "service:backchannel",
    iat: now,
    exp: now + 300,
    jti: "j1",
    family: "f1",
    token_use: "access",
    roles: ["admin"],
    epoch: 0,
  };
  const key = serviceTokenKey(secret);

  test("roles count as scopes", async () => {
    const verdict = await verify(await signServiceToken(service, { key, typ: "service-access+jwt" }));
    expect(verdict).toMatchObject({ outcome: "ok", token: { kind: "service", scopes: ["service:admin"] } });
  });

  test.each([
    [{ aud: "service:jwt-refresh", token_use: "refresh" }, "wrong_token_type"],
    [{ token_use: "refresh" }, "invalid"],
    [{ iss: issuer }, "invalid"],
    [{ roles: "admin" }, "invalid"],
    [{ exp: now - 60 }, "invalid"],
  ])("%j is %s", async (change, outcome) => {
    const token = await signServiceToken({ ...service, ...change }, { key, typ: "service-access+jwt" });
    expect((await verify(token)).outcome).toBe(outcome);
  });

  test("a refresh token is not an access token", async () => {
    const claims = { ...service, aud: "service:jwt-refresh", token_use: "refresh" };
    const token = await signServiceToken(claims, { key, typ: "service-refresh+jwt" });
    expect(await verify(token)).toEqual({ outcome: "wrong_token_type" });
  });
});

describe("after the first verification", () => {
  test("a verified token is answered synchronously, after a revocation check", async () => {
    const caching = verifierWith(60_000);
    const token = await sign({ jti: "cached" });
    expect((await caching.verify(token)).outcome).toBe("ok");
    looks.length = 0;
    const verdict = caching.verify(token);
    expect(verdict).not.toBeInstanceOf(Promise);
    expect(verdict).toMatchObject({ outcome: "ok" });
    expect(looks).toEqual(["cached"]);
  });

  test("a revoked token is invalid, an unavailable check is a temporary failure", async () => {
    const caching = verifierWith(60_000);
    const token = await sign({ jti: "later-revoked" });
    await caching.verify(token);
    state = "revoked";
    expect(caching.verify(token)).toEqual({ outcome: "invalid", reason: "revoked" });
    state = "unavailable";
    expect(caching.verify(token)).toEqual({ outcome: "unavailable", cause: "revocation" });
    expect(await caching.verify(await sign({ jti: "fresh" }))).toEqual({ outcome: "unavailable", cause: "revocation" });
    state = "active";
  });
});

import { generateKeyPairSync } from "node:crypto";
import { SignJWT } from "jose";
import { afterAll, describe, expect, test } from "vitest";
import { createKeySource } from "./key-source.ts";
import { createTokenVerifier } from "./token-verifier.ts";
import type { AccessTokenRules } from "./verify-access-token.ts";

const nowMs = 1_790_000_000_000;
const clock = { now: () => nowMs };
const issuer = "https://idp.example.test";
const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const keys = createKeySource({
  load: async () => ({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k", use: "sig" }] }),
  clock,
  refreshMs: 60_000,
  retryAfterMs: 1000,
  timeoutMs: 1000,
  onError: () => undefined,
});
afterAll(() => keys.close());

function verifierFor(rules: Partial<AccessTokenRules>) {
  const access = { issuer, audiences: [], skewSeconds: 0, clock, keys, ...rules };
  return createTokenVerifier({
    access,
    service: undefined,
    revocation: { check: () => "active" },
    clock,
    cacheTtlMs: 60_000,
    maxCached: 10,
    onError: () => undefined,
  });
}

const callers = verifierFor({ audiences: ["service:backchannel"] });
const usernameClaims = ["preferred_username", "email", "sub"];
const users = verifierFor({ audiences: ["mail"], refusedAudiences: ["service:backchannel"], usernameClaims });
const byScope = verifierFor({ requiredScopes: ["mail"], refusedAudiences: ["service:backchannel"], usernameClaims });

const good = {
  iss: issuer,
  sub: "4711",
  aud: "mail",
  iat: nowMs / 1000,
  exp: nowMs / 1000 + 300,
  jti: "1",
  scope: "openid mail",
  client_id: "thunderbird",
  token_type: "access_token",
};

function sign(claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return new SignJWT({ ...good, ...claims })
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: "k" })
    .sign(privateKey);
}

const usernameIn = async (claims: Readonly<Record<string, unknown>>): Promise<string | undefined> => {
  const verdict = await users.verify(await sign(claims));
  return verdict.outcome === "ok" ? verdict.token.username : verdict.outcome;
};

describe("users' tokens and callers' tokens", () => {
  test("neither is accepted as the other, even when both were just verified and cached", async () => {
    const forMail = await sign();
    const forCallers = await sign({ aud: "service:backchannel", scope: "service:authenticate mail" });
    for (let count = 0; count < 2; count += 1) {
      expect((await users.verify(forMail)).outcome).toBe("ok");
      expect((await callers.verify(forCallers)).outcome).toBe("ok");
      expect(await callers.verify(forMail)).toEqual({ outcome: "wrong_token_type" });
      expect(await users.verify(forCallers)).toEqual({ outcome: "wrong_token_type" });
      expect(await byScope.verify(forCallers)).toEqual({ outcome: "wrong_token_type" });
    }
  });

  test("a token for both audiences is a caller's token", async () => {
    expect((await users.verify(await sign({ aud: ["mail", "service:backchannel"] }))).outcome).toBe("wrong_token_type");
  });

  test.each([
    [{ aud: "anything" }, "ok"],
    [{ scope: "openid mailbox" }, "wrong_token_type"],
    [{ scope: undefined }, "wrong_token_type"],
  ])("scopes instead of an audience: %j is %s", async (claims, outcome) => {
    expect((await byScope.verify(await sign(claims))).outcome).toBe(outcome);
  });

  test("audience and scopes are both required if both are configured", async () => {
    const both = verifierFor({ audiences: ["mail"], requiredScopes: ["imap", "mail"] });
    expect((await both.verify(await sign())).outcome).toBe("wrong_token_type");
    expect((await both.verify(await sign({ scope: "mail imap" }))).outcome).toBe("ok");
    expect((await both.verify(await sign({ scope: "mail imap", aud: "other" }))).outcome).toBe("wrong_token_type");
  });

  test("a token whose typ is not at+jwt is rejected, even if its issuer creates such access tokens", async () => {
    for (const typ of ["JWT", "jwt", "logout+jwt", ""]) {
      const token = await new SignJWT(good).setProtectedHeader({ alg: "ES256", typ, kid: "k" }).sign(privateKey);
      expect(await users.verify(token)).toEqual({ outcome: "wrong_token_type" });
    }
  });

  test("rules without audience and scope accept no token", async () => {
    expect((await verifierFor({}).verify(await sign())).outcome).toBe("wrong_token_type");
  });
});

const signedInAt = async (claims: Readonly<Record<string, unknown>>) => {
  const verdict = await users.verify(await sign(claims));
  return verdict.outcome === "ok" ? verdict.token.signedInAt : verdict.outcome;
};

describe("the sign-in from which a token descends", () => {
  test("is its auth_time, however young the token is", async () => {
    expect(await signedInAt({ auth_time: good.iat - 90_000 })).toBe(good.iat - 90_000);
  });

  test.each([undefined, 0, -1, "1700000000", null])("is not later than its iat if auth_time is %j", async (time) => {
    expect(await signedInAt({ auth_time: time })).toBe(good.iat);
  });
});

describe("the user name", () => {
  test.each([
    [{ preferred_username: "alice", email: "a@example.test", email_verified: true }, "alice"],
    [{ email: "a@example.test", email_verified: true }, "a@example.test"],
    [{ email: "a@example.test" }, "4711"],
    [{ email: "a@example.test", email_verified: false }, "4711"],
    [{ email: "a@example.test", email_verified: "true" }, "4711"],
    [{}, "4711"],
    [{ preferred_username: "" }, undefined],
    [{ preferred_username: ["alice"] }, undefined],
    [{ preferred_username: null }, undefined],
    [{ sub: "alice", client_id: "alice" }, undefined],
  ])("of %j is %s", async (claims, username) => {
    expect(await usernameIn(claims)).toBe(username);
  });

  test("of a caller's token is absent", async () => {
    const verdict = await callers.verify(await sign({ aud: "service:backchannel", preferred_username: "alice" }));
    expect(verdict).toMatchObject({ outcome: "ok", token: { username: undefined } });
  });
});

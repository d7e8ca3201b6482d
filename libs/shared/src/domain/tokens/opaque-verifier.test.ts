import { expect, test } from "vitest";
import { createKeyRing } from "../../platform/crypto/key-ring.ts";
import { Secret } from "../../platform/crypto/secret.ts";
import { oidcAccountKey, oidcRecordKey } from "../../platform/redis/keys/oidc.ts";
import { createOpaqueRecordReader, createOpaqueVerifier, opaqueDigest } from "./opaque-verifier.ts";

const nowMs = 1_790_000_000_000;
const keyPrefix = "p:";
const token = "A".repeat(43);
const good = {
  clientId: "mail",
  accountId: "4711",
  grantId: "grant",
  scope: "openid imap",
  exp: nowMs / 1000 + 60,
};

type Fields = Readonly<Record<string, unknown>>;

interface Stored {
  readonly record?: Fields | undefined;
  readonly grant?: Fields | undefined;
  readonly account?: Fields | undefined;
  readonly sealedBy?: string;
}

const alive: Stored = { record: good, grant: {}, account: { accountId: "4711", account: "alice" } };

function ring(secret: string) {
  return createKeyRing([new Secret(secret)], "oidc");
}

function verifierOf(stored: Stored = alive, usernameClaims: readonly string[] = ["preferred_username", "sub"]) {
  const values = new Map<string, string>();
  const put = (key: string, value: Fields | undefined): void => {
    if (value === undefined) return;
    values.set(
      key,
      ring(stored.sealedBy ?? "secret")
        .seal(JSON.stringify(value), key)
        .toString("base64"),
    );
  };
  put(oidcRecordKey.build(keyPrefix, "AccessToken", opaqueDigest(token)), stored.record);
  put(oidcRecordKey.build(keyPrefix, "Grant", opaqueDigest("grant")), stored.grant);
  put(oidcAccountKey.build(keyPrefix, opaqueDigest("4711")), stored.account);
  const state = { nowMs, isAway: false, reads: 0 };
  const redis = {
    get: async (key: unknown) => {
      state.reads += 1;
      if (state.isAway) throw new Error("away");
      return values.get(String(key)) ?? null;
    },
  };
  const rules = { issuer: "https://idp.example.test", audiences: ["mail"], requiredScopes: ["imap"], usernameClaims };
  const verifier = createOpaqueVerifier(
    { ...rules, clock: { now: () => state.nowMs } },
    {
      read: createOpaqueRecordReader(redis, keyPrefix, ring("secret")),
      clock: { now: () => state.nowMs },
      ttlMs: 5000,
      timeoutMs: 1000,
      maxEntries: 10,
      onError: () => undefined,
    },
  );
  return { state, values, verify: async (text = token) => verifier.verify(text) };
}

test("a valid record of a user's token contains the user", async () => {
  expect(await verifierOf().verify()).toMatchObject({
    outcome: "ok",
    token: { username: "alice", subject: "4711", clientId: "mail", scopes: ["openid", "imap"] },
  });
  expect(await verifierOf(alive, ["sub"]).verify()).toMatchObject({ token: { username: "4711" } });
  expect(await verifierOf(alive, ["email"]).verify()).toMatchObject({ token: { username: undefined } });
});

test.each([
  ["without a record", { record: undefined }, "invalid"],
  ["without its grant", { grant: undefined }, "invalid"],
  ["without its account", { account: undefined }, "invalid"],
  ["that was issued to a client without a user", { record: { ...good, accountId: undefined } }, "invalid"],
  ["that is the identifier of a signed token", { record: { ...good, isJwt: true } }, "invalid"],
  ["that has expired", { record: { ...good, exp: nowMs / 1000 } }, "invalid"],
  ["of another client", { record: { ...good, clientId: "web" } }, "wrong_token_type"],
  ["for another audience", { record: { ...good, aud: "web" } }, "wrong_token_type"],
  ["without the scope", { record: { ...good, scope: "openid imapx" } }, "wrong_token_type"],
  ["bound to a key", { record: { ...good, jkt: "k" } }, "wrong_token_type"],
  ["bound to a certificate", { record: { ...good, "x5t#S256": "k" } }, "wrong_token_type"],
  ["that no key decrypts", { sealedBy: "another secret" }, "unavailable"],
])("a token %s is invalid or a temporary failure: %j is %s", async (_what, change, outcome) => {
  expect(await verifierOf({ ...alive, ...change }).verify()).toHaveProperty("outcome", outcome);
});

test.each([
  ["its own time", { authTime: 1, iat: 3 }, { iat: 2 }, 1],
  ["the time of its grant, if an earlier version did not record it", { iat: 3 }, { iat: 2 }, 2],
  ["the time at which it was made, if the grant has none either", { iat: 3 }, {}, 3],
  ["unknown without any", {}, {}, undefined],
])("the sign-in of a token: %s", async (_what, record, grant, expected) => {
  const verdict = await verifierOf({ ...alive, record: { ...good, ...record }, grant }).verify();
  expect(verdict.outcome === "ok" && verdict.token.signedInAt).toBe(expected);
});

test("text that cannot be a token is rejected without a query", async () => {
  const { state, verify } = verifierOf();
  for (const text of ["", "short", "A".repeat(129), `${token} `, "a.b.c", "A/".repeat(20)]) {
    expect(await verify(text)).toEqual({ outcome: "invalid", reason: "malformed" });
  }
  expect(state.reads).toBe(0);
});

test("a result is valid for its time; after that a revoked token is invalid, and without Redis the result is a temporary failure", async () => {
  const { state, values, verify } = verifierOf();
  expect(await verify()).toMatchObject({ outcome: "ok" });
  values.clear();
  state.nowMs += 2000;
  expect(await verify()).toMatchObject({ outcome: "ok" });
  state.nowMs += 3000;
  expect(await verify()).toMatchObject({ outcome: "invalid" });
  state.isAway = true;
  state.nowMs += 5000;
  expect(await verify()).toEqual({ outcome: "unavailable", cause: "revocation" });
});

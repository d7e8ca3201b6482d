import { type Domain, unknownDomain } from "@postern/shared/domain/domains";
import type { TokenVerdict, VerifiedToken } from "@postern/shared/domain/tokens";
import { describe, expect, test } from "vitest";
import { createMailTokenCheck, type MailTokenOutcome } from "./check-mail-token.ts";

const token: VerifiedToken = {
  kind: "access",
  subject: "4711",
  username: "alice@example.test",
  clientId: "mail",
  scopes: [],
  expiresAtMs: 0,
  signedInAt: 1_700_000_000,
  revocation: { id: "1", subjectDigest: "d", epoch: 0 },
};
const { signal } = new AbortController();
const alice = {
  mechanism: "oauthbearer",
  username: "alice@example.test",
  protocol: "imap",
  credential: "tok.en",
} as const;
const limits = {
  protocols: [
    { name: "scope:mail", protocols: ["IMAP", "smtp"] },
    { name: "scope:calendars", protocols: ["caldav"] },
  ],
  domains: new Map([["limited", new Set(["a.test"])]]),
};

const known: Domain = {
  isKnown: true,
  name: "a.test",
  aliases: [],
  isEnabled: true,
  message: "",
  backends: [],
  backendsKey: "",
  protocols: new Set(),
  mailCredentials: "any",
  attributes: new Map(),
  origin: "records",
};

function checkWith(verdict: TokenVerdict | Promise<TokenVerdict>, ignoreCase = false) {
  const outcomes: MailTokenOutcome[] = [];
  const verified: string[] = [];
  const verify = (text: string): TokenVerdict | Promise<TokenVerdict> => {
    verified.push(text);
    return verdict;
  };
  const check = createMailTokenCheck({ verify }, ignoreCase, limits, (what) => outcomes.push(what));
  return { check, outcomes, verified };
}

describe("a token in place of a password", () => {
  test("is accepted if it is the user's", async () => {
    const { check, outcomes } = checkWith({ outcome: "ok", token });
    expect(await check(alice, { signal })).toEqual({ username: "alice@example.test", signedInAt: 1_700_000_000 });
    expect(outcomes).toEqual(["ok"]);
  });

  test.each([
    ["invalid", { outcome: "invalid", reason: "expired" }],
    ["other_use", { outcome: "wrong_token_type" }],
    ["other_user", { outcome: "ok", token: { ...token, username: "bob@example.test" } }],
    ["other_user", { outcome: "ok", token: { ...token, username: undefined } }],
  ] satisfies [MailTokenOutcome, TokenVerdict][])("is rejected: %s %j", async (outcome, verdict) => {
    const { check, outcomes } = checkWith(verdict);
    expect(await check(alice, { signal })).toBeUndefined();
    expect(outcomes).toEqual([outcome]);
  });

  test.each([
    [["scope:mail"], "imap", "ok"],
    [["scope:mail"], "caldav", "other_protocol"],
    [["scope:mail", "scope:calendars"], "caldav", "ok"],
    [["scope:calendars", "openid"], "imap", "other_protocol"],
    [["openid"], "imap", "ok"],
  ] satisfies [string[], string, MailTokenOutcome][])(
    "with the scopes %j, the result for %s is %s",
    async (scopes, protocol, outcome) => {
      const { check, outcomes } = checkWith({ outcome: "ok", token: { ...token, scopes } });
      const accepted = await check({ ...alice, protocol }, { signal });
      const signedInAt = token.signedInAt;
      expect(accepted).toEqual(outcome === "ok" ? { username: alice.username, signedInAt } : "useless");
      expect(outcomes).toEqual([outcome]);
    },
  );

  test("names are compared exactly or case-insensitively, and the result has the spelling of the token", async () => {
    const shouted = { ...alice, username: "ALICE@example.test" };
    expect(await checkWith({ outcome: "ok", token }).check(shouted, { signal })).toBeUndefined();
    const accepted = await checkWith({ outcome: "ok", token }, true).check(shouted, { signal });
    expect(accepted).toMatchObject({ username: "alice@example.test" });
  });

  test("a SASL message with another user's name is rejected before its token is verified", async () => {
    const { check, verified } = checkWith({ outcome: "ok", token });
    const credential = "n,a=bob@example.test,\x01auth=Bearer tok.en\x01\x01";
    expect(await check({ ...alice, credential }, { signal })).toBeUndefined();
    expect(await check({ ...alice, credential: "x".repeat(16_385) }, { signal })).toBeUndefined();
    expect(verified).toEqual([]);
  });

  test.each([
    ["a.test", ["b.test"], "a.test", "ok"],
    ["c.test", ["a.test"], "c.test", "ok"],
    // Its record claims an alias that another domain serves.
    ["c.test", ["a.test"], "a.test", "other_domain"],
    ["b.test", [], "a.test", "other_domain"],
  ] satisfies [string, string[], string, MailTokenOutcome][])(
    "of a client for a.test is checked by the domain, for %s with the aliases %j, while %s serves a.test: %s",
    async (name, aliases, served, outcome) => {
      const { check, outcomes } = checkWith({ outcome: "ok", token: { ...token, clientId: "limited" } });
      const serving = async () => ({ ...known, name: served });
      const found = await check({ ...alice, domain: { ...known, name, aliases }, serving }, { signal });
      expect(found === "useless").toBe(outcome === "other_domain");
      await check({ ...alice, domain: unknownDomain, serving }, { signal });
      await check(alice, { signal });
      expect(outcomes).toEqual([outcome, "other_domain", "other_domain"]);
    },
  );

  test.each([
    ["keys", "UPSTREAM_UNAVAILABLE"],
    ["revocation", "REDIS_UNAVAILABLE"],
  ] as const)("an unavailable dependency is never a denial: %s", async (cause, code) => {
    const { check, outcomes } = checkWith({ outcome: "unavailable", cause });
    await expect(check(alice, { signal })).rejects.toMatchObject({ code });
    expect(outcomes).toEqual(["unavailable"]);
  });

  test("the check ends when the caller aborts", async () => {
    const { check } = checkWith(Promise.withResolvers<TokenVerdict>().promise);
    const left = new AbortController();
    const answer = check(alice, left);
    left.abort();
    await expect(answer).rejects.toMatchObject({ code: "REQUEST_ABORTED" });
    await expect(check(alice, left)).rejects.toMatchObject({ code: "REQUEST_ABORTED" });
  });
});

import type { DecisionRecord } from "@postern/shared/contracts";
import { expect, test } from "vitest";
import { sentence } from "../../texts/messages.ts";
import { type CauseFacts, causesOf } from "./causes.ts";
import { type VerdictFacts, verdictOf } from "./verdict.ts";

const nowMs = Date.parse("2030-05-06T13:58:00Z");

const record = (fields: Partial<DecisionRecord>): DecisionRecord => ({
  time: "2030-05-06T13:52:10.000Z",
  first_time: "2030-05-06T13:52:10.000Z",
  count: 1,
  outcome: "ok",
  text: "the sign-in succeeded",
  channel: "mail",
  protocol: "imap",
  client_ip: "203.0.113.9",
  instance: "postern@host:1",
  session: "7d3f91ac-20b4-4444-8888-000000000000",
  ...fields,
});
const success = record({});
const failure = record({
  time: "2030-05-06T13:55:00.000Z",
  outcome: "denied",
  reason: "wrong_password",
  text: "the password was wrong",
  count: 12,
});
const ban = {
  network: "203.0.113.0/24",
  rule: "imap",
  start: "2030-05-06T13:05:00.000Z",
  end: "2030-05-06T14:05:00.000Z",
  failures: 10,
};

type Facts = Partial<VerdictFacts> & Partial<Pick<CauseFacts, "factorLimits" | "hold">>;

function of({ factorLimits = [], hold, ...some }: Facts) {
  const facts = {
    query: "alice@example.test",
    kind: "account",
    account: "alice@example.test",
    bans: [],
    ownBans: [],
    lastBans: [],
    standing: { kind: "found" } as const,
    guessing_addresses: [],
    lastSuccess: undefined,
    lastFailure: undefined,
    nowMs,
    ...some,
  };
  const { state, verdict, remedy } = verdictOf({
    ...facts,
    causes: causesOf({ ...facts, otherBans: facts.lastBans, factorLimits, hold }),
  });
  return { state, verdict, ...(remedy !== undefined && { remedy }) };
}

test("a ban is the first thing to say, with the customer's own correct password", () => {
  expect(of({ bans: [ban], ownBans: [ban], lastSuccess: success, lastFailure: failure })).toEqual({
    state: "blocked",
    verdict:
      "Blocked until 14:05 UTC: 10 failures from 203.0.113.0/24 (rule imap); this customer's own password was correct at 13:52 UTC from 203.0.113.9.",
    remedy: "To lift the ban: postern unban 203.0.113.0/24",
  });
});

test("of several bans the one that ends last counts", () => {
  const later = { ...ban, end: "2030-05-07T14:05:00.000Z", rule: "long" };
  expect(of({ ownBans: [ban, later] }).verdict).toContain("Blocked until 2030-05-07 14:05 UTC: 10 failures");
});

test("bans of attackers do not block the customer", () => {
  const { state, verdict } = of({ bans: [ban], lastSuccess: success, guessing_addresses: ["198.51.100.1"] });
  expect(state).toBe("working");
  expect(verdict).toBe(
    "Not blocked. The last sign-in succeeded at 13:52 UTC from 203.0.113.9 by imap. Wrong passwords were sent from 198.51.100.1, which is not banned.",
  );
});

test("a failure after the last success is named with its number", () => {
  expect(of({ lastSuccess: success, lastFailure: failure })).toMatchObject({
    state: "denied",
    verdict:
      "Not blocked now. The last sign-in failed at 13:55 UTC from 203.0.113.9 by imap (12 times since 13:52 UTC): the password was wrong. The last correct sign-in was at 13:52 UTC from 203.0.113.9.",
  });
});

test("a temporary failure is not a denial", () => {
  const away = { ...failure, outcome: "undecided", reason: "DIRECTORY_UNAVAILABLE" };
  expect(of({ lastFailure: away }).state).toBe("undecided");
});

test("the verdict on a delayed account says when the delay ends", () => {
  const { state, verdict } = of({ delay: { wrong_passwords: 14, until: ban.end }, lastSuccess: success });
  expect(state).toBe("delayed");
  expect(verdict).toContain("until 14:05 UTC: 14 wrong passwords");
});

test("without records the answer says so", () => {
  expect(of({})).toEqual({ state: "unknown", verdict: "Not blocked. No sign-in is recorded." });
});

test("a ban while the customer's own password is right elsewhere says so", () => {
  const mobile = { ...success, time: "2030-05-06T13:57:00.000Z", client_ip: "192.0.2.7" };
  expect(of({ bans: [ban], ownBans: [ban], lastSuccess: mobile }).verdict).toBe(
    "Blocked until 14:05 UTC: 10 failures from 203.0.113.0/24 (rule imap); this customer's own password was correct at 13:57 UTC from 192.0.2.7, which is not banned.",
  );
});

const blockedNow = {
  ...failure,
  outcome: "blocked",
  reason: "banned",
  rule: "imap",
  text: "the network was banned by the rule imap",
};

test("a customer whose only sign-ins were blocked is blocked", () => {
  expect(of({ bans: [ban], lastBans: [ban], lastFailure: { ...blockedNow, client_ip: "203.0.113.44" } })).toEqual({
    state: "blocked",
    verdict:
      "Blocked until 14:05 UTC: 10 failures from 203.0.113.0/24 (rule imap). The last sign-in came at 13:55 UTC from 203.0.113.44 by imap; no correct sign-in of this account is recorded.",
    remedy: "To lift the ban: postern unban 203.0.113.0/24",
  });
});

test("a sign-in from a banned network that the account does not know may be an attacker's or the customer's", () => {
  const home = { ...success, client_ip: "192.0.2.7" };
  expect(of({ bans: [ban], lastBans: [ban], lastSuccess: home, lastFailure: blockedNow })).toEqual({
    state: "denied",
    verdict:
      "Not blocked where this customer's own password was correct, at 13:52 UTC from 192.0.2.7. The last sign-in came at 13:55 UTC from 203.0.113.9 by imap, which is banned until 14:05 UTC: 10 failures from 203.0.113.0/24 (rule imap).",
    remedy: "If the customer is there: postern unban 203.0.113.0/24",
  });
});

test("an old password in one program does not hide behind the success of another", () => {
  const phone = { ...failure, client_ip: "192.0.2.44", time: "2030-05-06T13:51:00.000Z", count: 40 };
  expect(of({ lastSuccess: success, lastFailure: phone })).toEqual({
    state: "working",
    verdict:
      "Not blocked. The last sign-in succeeded at 13:52 UTC from 203.0.113.9 by imap. The last failure was at 13:51 UTC from 192.0.2.44 by imap (40 times since 13:52 UTC): the password was wrong.",
  });
  const yesterday = { ...phone, time: "2030-05-05T13:51:00.000Z" };
  expect(of({ lastSuccess: success, lastFailure: yesterday }).verdict).toMatch(/by imap\.$/u);
});

test("a disabled account is reported as disabled, even after earlier successes and during a ban", () => {
  const standing = { kind: "disabled", backend: "sql" } as const;
  expect(of({ standing, lastSuccess: success })).toMatchObject({
    state: "denied",
    verdict:
      "The account is disabled in the backend sql, so no sign-in succeeds. Its last correct sign-in was at 13:52 UTC from 203.0.113.9.",
  });
  expect(of({ standing, bans: [ban], ownBans: [ban] }).verdict).toContain("203.0.113.0/24 is also banned until 14:05");
});

test("a name that no backend has is spelled wrong, and is not a customer without sign-ins", () => {
  expect(of({ standing: { kind: "unknown" } })).toMatchObject({
    state: "unknown",
    verdict: "No backend has an account of this name, so no sign-in with it succeeds.",
  });
  expect(of({ standing: { kind: "unclear" } }).verdict).toBe("Not blocked. No sign-in is recorded.");
});

test("the answer to a reference is about this sign-in, which a lifted ban blocked, or one in force", () => {
  const one = { ...blockedNow, count: 1, account: "alice@example.test" };
  expect(of({ kind: "reference", lastFailure: one })).toEqual({
    state: "lifted",
    verdict:
      "This sign-in of alice@example.test failed at 13:55 UTC from 203.0.113.9 by imap: the network was banned by the rule imap. The ban has ended.",
  });
  const now = of({ kind: "reference", lastFailure: one, ownBans: [ban] });
  expect(now.state).toBe("blocked");
  expect(now.verdict).toMatch(
    /^Blocked until 14:05 UTC: 10 failures from 203\.0\.113\.0\/24 \(rule imap\)\. This sign-in/u,
  );
});

const totp = { factor: "totp", count: 100, endMs: undefined } as const;

test("a locked second factor is not hidden by a later success of a mail program, and its command contains the account", () => {
  const { state, verdict, remedy } = of({ lastSuccess: success, factorLimits: [totp] });
  expect([state, remedy]).toEqual(["limited", "To unlock the second factors: postern unlock alice@example.test"]);
  expect(verdict).toBe(
    "The authenticator app is locked until an operator unlocks the second factors: 100 consecutive wrong codes. The last sign-in succeeded at 13:52 UTC from 203.0.113.9 by imap.",
  );
});

test("a hold is not hidden by a success in a known network", () => {
  const { state, verdict, remedy } = of({ lastSuccess: success, hold: { kind: "submission", end: ban.end } });
  expect([state, remedy]).toMatchObject(["limited", expect.stringContaining("postern flush alice@example.test")]);
  expect(verdict).toMatch(/^Mail submission in networks that the account does not know: refused until 14:05 UTC/u);
});

test.each([
  [{ ...blockedNow }, {}],
  [{ ...failure, reason: "account_disabled" }, {}],
  [{ ...failure, reason: "factor_locked" }, {}],
])("a failure whose cause has ended is no longer a reason to act", (lastFailure, more) => {
  expect(of({ lastFailure, ...more })).toMatchObject({
    state: "lifted",
    verdict: expect.stringContaining("That has ended."),
  });
  expect(of({ lastFailure, ...more }).remedy).toBeUndefined();
});

test("a wrong password does not end by itself, nor does a limit that is still in force", () => {
  expect(of({ lastFailure: failure }).state).toBe("denied");
  expect(of({ lastFailure: { ...failure, reason: "factor_locked" }, factorLimits: [totp] }).state).toBe("denied");
});

test("all causes are listed, each with its end and its remedy, the customer's own bans before others'", () => {
  const office = { ...ban, network: "198.51.100.0/24" };
  const throttled = { factor: "recovery", count: 10, endMs: Date.parse(ban.end) } as const;
  const causes = causesOf({
    query: "alice",
    account: "alice@example.test",
    standing: { kind: "disabled", backend: "sql" },
    ownBans: [ban],
    otherBans: [office, ban],
    delay: { wrong_passwords: 14, until: ban.end },
    hold: { kind: "mail", end: ban.end },
    factorLimits: [totp, throttled],
    nowMs,
  });
  expect(causes.map(({ kind, end, command, action, target }) => [kind, end, command, action, target])).toEqual([
    ["disabled", undefined, undefined, undefined, undefined],
    ["ban", ban.end, `postern unban ${ban.network}`, "unban", ban.network],
    ["ban", ban.end, `postern unban ${office.network}`, "unban", office.network],
    ["factor", undefined, "postern unlock alice@example.test", "unlock", "alice@example.test"],
    ["factor", ban.end, "postern unlock alice@example.test", "unlock", "alice@example.test"],
    ["hold", ban.end, "postern flush alice@example.test", "flush", "alice@example.test"],
    ["delay", ban.end, "postern flush alice@example.test", "flush", "alice@example.test"],
  ]);
  expect(causes.every(({ remedy, text }) => remedy !== undefined && text.endsWith("."))).toBe(true);
});

test("the program behind a ban is named, and without a ban one that repeats its password", () => {
  const [named, same] = [sentence("sender.same"), sentence("verdict.ended")];
  expect(of({ lastSuccess: success, ownBans: [ban], senders: [named] }).verdict).toContain("always the same password");
  expect(of({ lastSuccess: success, senders: [named] }).verdict).not.toContain("always the same password");
  expect(of({ lastSuccess: success, senders: [named, same] }).verdict).toContain("always the same password");
});

test("a doubt turns what works into a question, and nothing that is refused", () => {
  const doubts = [sentence("doubt.ask")];
  expect(of({ lastSuccess: success, doubts })).toMatchObject({
    state: "doubted",
    verdict: expect.stringMatching(/ Ask the customer whether that was them\..*$/u),
  });
  expect(of({ lastSuccess: success, ownBans: [ban], doubts }).state).toBe("blocked");
});

test("a place from which many accounts are tried in vain is rather an attacker's: its ban is to be lifted only if the customer is there", () => {
  const place = { query: "203.0.113.0/24", kind: "network", account: undefined, standing: undefined };
  expect(of({ ...place, bans: [ban], ownBans: [ban], lastFailure: failure, triedAccounts: 7 })).toEqual({
    state: "blocked",
    verdict:
      "Probably guessing: 7 accounts were tried from here, and no sign-in has succeeded. Blocked until 14:05 UTC: 10 failures from 203.0.113.0/24 (rule imap).",
    remedy: "If the customer is there: postern unban 203.0.113.0/24",
  });
});

test("a denial by a policy names it, and says where it is", () => {
  const denied = { ...failure, count: 1, reason: "policy", rule: "office-only" };
  expect(of({ lastFailure: denied })).toMatchObject({
    verdict: expect.stringContaining(": the policy office-only denied the sign-in."),
    remedy: "It is the policy office-only of the configuration (auth.policy): an administrator can change it.",
  });
  const { rule: _rule, ...earlier } = denied;
  const said = of({ lastFailure: earlier });
  expect([said.verdict, said.remedy]).toEqual([expect.stringContaining("a policy denied the sign-in"), undefined]);
});

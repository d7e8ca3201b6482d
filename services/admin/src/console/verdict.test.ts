import type { DecisionRecord } from "@postern/shared/contracts";
import { expect, test } from "vitest";
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

const of = (facts: Partial<VerdictFacts>) =>
  verdictOf({
    query: "alice@example.test",
    kind: "account",
    bans: [],
    ownBans: [],
    guessing_addresses: [],
    lastSuccess: undefined,
    lastFailure: undefined,
    nowMs,
    ...facts,
  });

test("a ban is the first thing to say, with the customer's own correct password", () => {
  expect(of({ bans: [ban], ownBans: [ban], lastSuccess: success, lastFailure: failure })).toEqual({
    state: "blocked",
    verdict:
      "Blocked until 14:05 UTC: 10 failures from 203.0.113.0/24 (rule imap); this customer's own password was right at 13:52 UTC from 203.0.113.9.",
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
    "Not blocked. The last sign-in succeeded at 13:52 UTC from 203.0.113.9 by imap. Wrong passwords were sent from 1 address; 1 of their networks are banned.",
  );
});

test("a failure after the last success is named with its number", () => {
  expect(of({ lastSuccess: success, lastFailure: failure })).toMatchObject({
    state: "denied",
    verdict:
      "Not blocked now. The last sign-in failed at 13:55 UTC from 203.0.113.9 by imap (12 times since 13:52 UTC): the password was wrong.",
  });
});

test("a temporary failure is not a denial", () => {
  const away = { ...failure, outcome: "undecided", reason: "DIRECTORY_UNAVAILABLE" };
  expect(of({ lastFailure: away }).state).toBe("undecided");
});

test("the verdict on a delayed account names the end of the delay", () => {
  const { state, verdict } = of({ delay: { wrong_passwords: 14, until: ban.end }, lastSuccess: success });
  expect(state).toBe("delayed");
  expect(verdict).toContain("until 14:05 UTC: 14 wrong passwords");
});

test("without records the answer says so", () => {
  expect(of({})).toEqual({ state: "unknown", verdict: "Not blocked. No sign-in is recorded." });
});

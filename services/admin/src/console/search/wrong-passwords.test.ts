import type { RecordedDecision } from "@postern/shared/domain/history";
import { expect, test } from "vitest";
import { englishOf } from "../../texts/messages.ts";
import { fromNewCountry } from "./new-country.ts";
import { senderSentences, wrongPasswordSenders } from "./wrong-passwords.ts";

const nowMs = Date.parse("2030-05-06T14:00:00Z");
const minuteMs = 60_000;

const record = (minutesAgo: number, fields: Partial<RecordedDecision> = {}): RecordedDecision => ({
  timeMs: nowMs - minutesAgo * minuteMs,
  firstMs: nowMs - minutesAgo * minuteMs,
  count: 1,
  outcome: "denied",
  channel: "mail",
  account: "alice",
  username: "alice",
  clientIp: "203.0.113.9",
  protocol: "imap",
  reason: "wrong_password",
  rule: "",
  step: "",
  client: "Thunderbird",
  instance: "",
  session: "s",
  ...fields,
});

test("programs are found by account, name and protocol, with what a ban then refused", () => {
  const blocked = { outcome: "blocked", reason: "blocked", rule: "imap" } as const;
  const senders = wrongPasswordSenders(
    [
      record(1, { ...blocked, client: "iPhone Mail", clientIp: "203.0.113.7", count: 40 }),
      record(2, { ...blocked, client: "Outlook" }),
      record(3, { client: "iPhone Mail", count: 8 }),
      record(4),
      record(5, { client: "", account: undefined, username: "alise" }),
      record(30 * 60, { count: 900 }),
    ],
    nowMs,
  );
  expect(senders).toEqual([
    {
      account: "alice",
      client: "iPhone Mail",
      protocol: "imap",
      channel: "mail",
      client_ip: "203.0.113.7",
      count: 8,
      last_time: "2030-05-06T13:59:00.000Z",
    },
    expect.objectContaining({ client: "Thunderbird", count: 1 }),
    expect.not.objectContaining({ client: expect.anything() }),
  ]);
  const said = (distinct: number) => senders.slice(0, 1).flatMap((one) => senderSentences(one, distinct, nowMs));
  expect(englishOf(said(1))).toBe(
    "Wrong passwords for alice come from iPhone Mail (imap), last at 13:59 UTC from 203.0.113.7. It is always the same password: rather an old one on that device than guessing.",
  );
  expect(said(0)).toHaveLength(1);
});

test("a country is new if no earlier sign-in with the correct password came from one that is known", () => {
  const places: Readonly<Record<string, object>> = { a: { country: "DE" }, b: { country: "NG" }, c: {} };
  const ok = { outcome: "ok", reason: "" } as const;
  const [guess, held, first, home] = [
    record(1, { clientIp: "b" }),
    record(2, { clientIp: "b", reason: "risk" }),
    record(3, { ...ok, clientIp: "b" }),
    record(9, { ...ok, clientIp: "a" }),
  ];
  const isNew = fromNewCountry(
    [guess, held, first, record(4, { ...ok, clientIp: "c" }), home],
    (at) => places[at] ?? {},
  );
  expect([...isNew]).toEqual([first]);
  expect(fromNewCountry([guess, held], (at) => places[at] ?? {}).size).toBe(0);
});

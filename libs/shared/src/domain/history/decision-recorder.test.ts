import { expect, test } from "vitest";
import type { DecisionNote } from "./decision-record.ts";
import { createDecisionRecorder } from "./decision-recorder.ts";

const note = (fields: Partial<DecisionNote> = {}): DecisionNote => ({
  timeMs: 1_000_000,
  outcome: "ok",
  channel: "mail",
  account: "alice",
  username: "alice",
  clientIp: "203.0.113.9",
  protocol: "imap",
  reason: "",
  rule: "",
  step: "",
  client: "",
  session: "s1",
  ...fields,
});

test("a decision is taken immediately, and its repetitions once after a minute, with their number", () => {
  const recorder = createDecisionRecorder();
  recorder.note(note());
  expect(recorder.take(1_000_000)?.runs).toMatchObject([{ count: 1, session: "s1" }]);
  for (let second = 1; second <= 40; second += 1)
    recorder.note(note({ timeMs: 1_000_000 + second * 1000, session: `s${second + 1}` }));
  expect(recorder.take(1_041_000)?.runs).toEqual([]);
  expect(recorder.take(1_060_000)?.runs).toMatchObject([
    { count: 40, firstMs: 1_001_000, timeMs: 1_040_000, session: "s41" },
  ]);
  expect(recorder.take(1_200_000)).toBeUndefined();
});

test.each<Partial<DecisionNote>>([
  { account: "bob" },
  { clientIp: "203.0.113.10" },
  { protocol: "smtp" },
  { outcome: "denied", reason: "wrong_password" },
  { channel: "browser" },
])("a decision that differs in %j is another run", (other) => {
  const recorder = createDecisionRecorder();
  recorder.note(note());
  recorder.note(note(other));
  expect(recorder.take(1_000_000)?.runs).toHaveLength(2);
});

test("a typed name is not the account of the same name", () => {
  const recorder = createDecisionRecorder();
  recorder.note(note({ outcome: "denied" }));
  recorder.note(note({ outcome: "denied", account: undefined }));
  expect(recorder.take(1_000_000)?.runs).toHaveLength(2);
});

test("the last batch contains what has not been counted for a minute yet", () => {
  const recorder = createDecisionRecorder();
  recorder.note(note());
  recorder.note(note());
  expect(recorder.take(1_000_000, true)?.runs.map(({ count }) => count)).toEqual([1, 1]);
});

test("every decision is counted by minute and outcome, and failures by network", () => {
  const recorder = createDecisionRecorder();
  for (let index = 0; index < 5; index += 1) recorder.note(note());
  recorder.note(note({ outcome: "denied", clientIp: "198.51.100.1" }));
  recorder.note(note({ outcome: "blocked", clientIp: "198.51.100.2" }));
  const batch = recorder.take(1_000_000);
  expect(batch?.traffic).toEqual([
    ["16:ok", 5],
    ["16:denied", 1],
    ["16:blocked", 1],
  ]);
  expect(batch?.failingNetworks).toEqual([
    ["198.51.100.0/24", 1, "counted"],
    ["198.51.100.0/24", 1, "refused"],
  ]);
});

test("while nothing is taken, a bounded number waits and the rest is counted as dropped", () => {
  const recorder = createDecisionRecorder();
  for (let index = 0; index < 20_000; index += 1) recorder.note(note({ username: `u${index}`, account: undefined }));
  expect(recorder.takeDropped()).toBe(20_000 - 8192);
  expect(recorder.takeDropped()).toBe(0);
  expect(recorder.take(1_000_000)?.runs).toHaveLength(8192);
});

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

const at = (minutes: number) => 1_000_000 + minutes * 60_000;
const counts = (batch: ReturnType<ReturnType<typeof createDecisionRecorder>["take"]>) =>
  batch?.runs.map(({ outcome, count }) => `${outcome} ${count}`) ?? [];

test("the first success of a kind is taken immediately, and the number of the others after ten minutes", () => {
  const recorder = createDecisionRecorder();
  const start = 1_000_000;
  recorder.note(note());
  expect(recorder.take(start)?.runs).toMatchObject([{ count: 1, session: "s1" }]);
  for (let second = 1; second <= 40; second += 1)
    recorder.note(note({ timeMs: start + second * 1000, session: `s${second + 1}` }));
  expect(counts(recorder.take(start + 41_000))).toEqual([]);
  expect(recorder.take(start + 600_000)?.runs).toMatchObject([
    { count: 40, firstMs: 1_001_000, timeMs: 1_040_000, session: "s41", isRepetition: true },
  ]);
  expect(recorder.take(start + 1_200_000)).toBeUndefined();
});

test("a success of a later period is still counted, and one after two idle periods is taken immediately", () => {
  const recorder = createDecisionRecorder();
  recorder.take(at(0));
  recorder.note(note({ timeMs: at(1) }));
  expect(counts(recorder.take(at(1)))).toEqual(["ok 1"]);
  recorder.take(at(10));
  recorder.note(note({ timeMs: at(11) }));
  expect(counts(recorder.take(at(11)))).toEqual([]);
  expect(counts(recorder.take(at(20)))).toEqual(["ok 1"]);
  recorder.take(at(30));
  recorder.take(at(40));
  recorder.note(note({ timeMs: at(41) }));
  expect(counts(recorder.take(at(41)))).toEqual(["ok 1"]);
});

test("addresses of one network are one success, and one failure each", () => {
  const recorder = createDecisionRecorder();
  for (const clientIp of ["203.0.113.9", "203.0.113.10"]) recorder.note(note({ clientIp }));
  for (const clientIp of ["203.0.113.9", "203.0.113.10"])
    recorder.note(note({ clientIp, account: "bob", outcome: "denied" }));
  expect(counts(recorder.take(1_000_000))).toEqual(["ok 1", "denied 1", "denied 1"]);
  expect(recorder.take(1_000_000, true)?.runs).toMatchObject([{ count: 1, clientIp: "203.0.113.10" }]);
});

test("repetitions of a failure are taken after two minutes, and continue the run within an hour", () => {
  const recorder = createDecisionRecorder();
  const failed = (minutes: number) => note({ outcome: "denied", reason: "wrong_password", timeMs: at(minutes) });
  recorder.take(at(0));
  recorder.note(failed(0));
  expect(recorder.take(at(0))?.runs.map(({ isRepetition }) => isRepetition)).toEqual([undefined]);
  recorder.note(failed(1));
  expect(counts(recorder.take(at(2)))).toEqual(["denied 1"]);
  const kinds = (minutes: number) => recorder.take(at(minutes))?.runs.map(({ isRepetition }) => isRepetition);
  for (const minutes of [10, 20]) kinds(minutes);
  recorder.note(failed(40));
  expect(kinds(40)).toEqual([true]);
  for (const minutes of [50, 60]) kinds(minutes);
  recorder.note(failed(110));
  expect(kinds(110)).toEqual([undefined]);
});

test("the first success after a failure is recorded by itself, wherever the failure was decided", () => {
  const recorder = createDecisionRecorder();
  const take = () => recorder.take(1_000_000)?.runs.map(({ outcome, isAfterFailure }) => [outcome, isAfterFailure]);
  recorder.note(note());
  recorder.note(note({ outcome: "denied" }));
  for (let index = 0; index < 3; index += 1) recorder.note(note());
  expect(take()).toEqual([
    ["ok", undefined],
    ["denied", undefined],
    ["ok", true],
  ]);
  take();
  recorder.note(note({ isAfterFailure: true }));
  expect(take()).toEqual([["ok", true]]);
});

test.each<Partial<DecisionNote>>([
  { account: "bob" },
  { clientIp: "203.0.114.10" },
  { protocol: "smtp" },
  { outcome: "denied", reason: "wrong_password" },
  { channel: "browser" },
  { client: "thunderbird" },
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

test("the last batch contains what was counted and is not due yet", () => {
  const recorder = createDecisionRecorder();
  for (const outcome of ["ok", "denied"] as const)
    for (let time = 0; time < 3; time += 1) recorder.note(note({ outcome, account: outcome }));
  expect(counts(recorder.take(1_000_000, true))).toEqual(["ok 1", "denied 1", "ok 2", "denied 2"]);
});

test("every decision is counted by minute and outcome, and failures by network, in batches of ten seconds", () => {
  const recorder = createDecisionRecorder();
  for (let index = 0; index < 5; index += 1) recorder.note(note());
  recorder.note(note({ account: "bob", outcome: "denied", clientIp: "198.51.100.1" }));
  recorder.note(note({ account: "bob", outcome: "blocked", clientIp: "198.51.100.2" }));
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
  recorder.note(note());
  expect(recorder.take(1_009_999)).toBeUndefined();
  expect(recorder.take(1_010_000)?.traffic).toEqual([["16:ok", 1]]);
});

test("in a flood, networks with one failure are not listed", () => {
  const recorder = createDecisionRecorder();
  for (let index = 0; index < 300; index += 1)
    recorder.note(note({ outcome: "denied", clientIp: `10.${index >> 8}.${index & 255}.1` }));
  recorder.note(note({ outcome: "denied", clientIp: "10.0.7.2" }));
  expect(recorder.take(1_000_000)?.failingNetworks).toEqual([["10.0.7.0/24", 2, "counted"]]);
});

test("while nothing is taken, a bounded number waits and the rest is counted as dropped", () => {
  const recorder = createDecisionRecorder();
  for (let index = 0; index < 20_000; index += 1)
    recorder.note(note({ username: `u${index}`, account: undefined, outcome: "denied" }));
  expect(recorder.takeDropped()).toBe(20_000 - 8192);
  expect(recorder.takeDropped()).toBe(0);
  expect(recorder.take(1_000_000)?.runs).toHaveLength(8192);
});

test("the characters of what is counted are bounded: beyond them each success is taken by itself", () => {
  const recorder = createDecisionRecorder();
  const client = "x".repeat(100_000);
  for (let round = 0; round < 2; round += 1)
    for (let index = 0; index < 60; index += 1) recorder.note(note({ account: `u${index}`, client }));
  const taken = recorder.take(1_000_000)?.runs.length ?? 0;
  expect(taken).toBeGreaterThan(60);
  expect(taken).toBeLessThan(120);
});

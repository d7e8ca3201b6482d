import fc from "fast-check";
import { expect, test } from "vitest";
import { decisionsSeen, type Payload, type WatchFilter, watchesRenewed } from "../../contracts/index.ts";
import { compileCheck, connectBus, LocalBus } from "../../platform/bus/index.ts";
import type { DecisionNote } from "../history/decision-record.ts";
import { DecisionWatches, matcherOf, maxOfBatch, seenDecision, watchedDecision } from "./decision-watches.ts";

const note: DecisionNote = {
  timeMs: 1_900_000_000_000,
  outcome: "denied",
  channel: "mail",
  account: "alice@example.test",
  username: "Al",
  clientIp: "203.0.113.77",
  protocol: "imap",
  reason: "wrong_password",
  rule: "",
  step: "",
  client: "",
  session: "57c2f2e0-876f-401e-b34d-377a22d87995",
};

const watcher = "0".repeat(16);
const idOf = (index: number): string => index.toString(16).padStart(16, "0");

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** Events arrive in microtasks. */
const settled = () => new Promise((resolve) => void setImmediate(resolve));

async function setUp() {
  const sent: Payload<typeof decisionsSeen>[] = [];
  let nowMs = 0;
  let isConnected = true;
  const options = { servers: [], namespace: "test", logger: quiet, local: new LocalBus(["auth-engine"], true) };
  const asker = await connectBus({ ...options, name: "admin" });
  const bus = await connectBus({ ...options, name: "auth-engine" });
  asker.subscribe(decisionsSeen, (seen) => void sent.push(seen));
  const watched = { ...bus, canPublish: () => isConnected };
  const watches = new DecisionWatches(watched, { service: "auth-engine", instance: "one" }, { now: () => nowMs });
  return {
    watches,
    sent,
    renew: (filters: readonly WatchFilter[], leaseMs = 7000, by = watcher): Promise<unknown> => {
      const wanted = filters.map((filter, index) => ({ id: idOf(index), filter }));
      asker.publish(watchesRenewed, { watcher: by, watches: wanted, leaseMs });
      return settled();
    },
    pass: (ms: number): Promise<unknown> => {
      nowMs += ms;
      watches.report();
      return settled();
    },
    connected: (is: boolean): void => {
      isConnected = is;
    },
  };
}

test("nothing is watched before somebody asks, after the lease, and after the last watch has ended", async () => {
  const { watches, renew, pass, sent } = await setUp();
  expect(watches.isWatched).toBe(false);
  await renew([{}]);
  expect(watches.isWatched).toBe(true);
  await pass(6999);
  expect(watches.isWatched).toBe(true);
  await pass(1);
  expect(watches.isWatched).toBe(false);
  await renew([{}], 60_000);
  await pass(10_000);
  expect(watches.isWatched).toBe(false);
  await renew([{}]);
  await renew([]);
  expect(watches.isWatched).toBe(false);
  const before = sent.length;
  await pass(60_000);
  expect(sent).toHaveLength(before);
});

test("each watch gets what it wanted for, in batches; an empty one says that this process reports", async () => {
  const { watches, renew, pass, sent } = await setUp();
  await renew([{ outcomes: ["ok"] }, { outcomes: ["denied"] }]);
  watches.note(note);
  await pass(250);
  expect(sent.map(({ watch, decisions, matched }) => [watch, decisions.length, matched])).toEqual([
    [idOf(0), 0, 0],
    [idOf(1), 1, 1],
  ]);
  await pass(250);
  expect(sent).toHaveLength(2);
  await pass(2000);
  expect(sent).toHaveLength(4);
});

test("what is too much for a batch, or cannot be sent, is missing in the sum and nowhere else", async () => {
  const { watches, renew, pass, sent, connected } = await setUp();
  await renew([{}]);
  for (let index = 0; index < maxOfBatch + 7; index += 1) watches.note(note);
  connected(false);
  await pass(250);
  expect(sent).toEqual([]);
  connected(true);
  watches.note(note);
  await pass(250);
  expect(sent.map(({ decisions, matched }) => [decisions.length, matched])).toEqual([[1, maxOfBatch + 8]]);
});

test("a renewal keeps the counts of a watch, and watchers are bounded", async () => {
  const { watches, renew, pass, sent } = await setUp();
  await renew([{}]);
  watches.note(note);
  await renew([{}]);
  await pass(250);
  expect(sent.at(-1)?.matched).toBe(1);
  for (let index = 1; index < 40; index += 1) await renew([{}], 7000, idOf(index));
  await pass(2000);
  expect(sent.length).toBeLessThanOrEqual(1 + 16);
});

const matches = (filter: WatchFilter, more: Partial<DecisionNote> = {}) => matcherOf(filter)({ ...note, ...more });

test("filters compare folded names, of the account or as typed, and networks of either family", () => {
  expect(matches({ names: ["al"] })).toBe(true);
  expect(matches({ names: ["alice@example.test"] }, { username: "x" })).toBe(true);
  expect(matches({ names: ["alice@example.test"] }, { account: undefined, username: "ALICE@example.test" })).toBe(true);
  expect(matches({ names: ["bob"] })).toBe(false);
  expect(matches({ network: "203.0.113.0/24" })).toBe(true);
  expect(matches({ network: "203.0.113.77" }, { clientIp: "::ffff:203.0.113.77" })).toBe(true);
  expect(matches({ network: "2001:db8::/32" }, { clientIp: "2001:db8::1" })).toBe(true);
  expect(matches({ network: "0.0.0.0/0" }, { clientIp: "" })).toBe(false);
  expect(matches({ network: "203.0.113.0/24", outcomes: ["ok"] })).toBe(false);
});

test("whatever a caller sends, the report fits the schema of the bus", () => {
  const check = compileCheck(decisionsSeen.body);
  const text = fc.string({ unit: "grapheme", maxLength: 2000 });
  fc.assert(
    fc.property(
      fc.record({ account: text, username: text, clientIp: text, protocol: text, client: text, session: text }),
      (texts) => {
        const seen = watchedDecision({ ...note, ...texts });
        const body = { watch: watcher, service: "idp", instance: "one", decisions: [seen], matched: 1 };
        expect(check.accepts(body)).toBe(true);
        expect(seenDecision(seen)).toMatchObject({ outcome: "denied", username: texts.username.slice(0, 256) });
      },
    ),
  );
  expect(seenDecision({ ...watchedDecision(note), outcome: "of a later version" })).toBeUndefined();
});

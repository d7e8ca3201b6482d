import { expect, test } from "vitest";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { Participant } from "../state/participants-redis.ts";
import { matchSessions } from "./logout.ts";

const sp = "urn:sp";
const session = (uid: string): BrowserSessionRecord => ({
  uid,
  sid: uid,
  accountId: "a",
  account: "a",
  loginTs: 1,
  remember: false,
  iat: 1,
  exp: 2,
  authorizations: {},
});

/** Session, service provider, its name for the user, its index of the session. */
const rows: readonly (readonly [uid: string, entityId: string, name: string, index: string])[] = [
  ["s1", sp, "alice", "i1"],
  ["s2", sp, "alice", "i2"],
  ["s3", sp, "bob", "i3"],
  ["s4", "urn:other", "alice", "i4"],
];
const participantOf = (row: (typeof rows)[number] | undefined): Participant | undefined =>
  row && { entityId: row[1], nameId: { format: "f", value: row[2] }, sessionIndex: row[3] };
const participants = {
  find: async (uid: string, entityId: string) =>
    participantOf(rows.find((row) => row[0] === uid && row[1] === entityId)),
  sessionOf: async (entityId: string, index: string) =>
    rows.find((row) => row[1] === entityId && row[3] === index)?.[0],
};
const match = (sessionIndexes: readonly string[], current?: string, nameId = "alice") =>
  matchSessions(
    participants,
    { nameId, sessionIndexes },
    { entityId: sp, current: current === undefined ? undefined : session(current) },
  );

test("each session named by an index ends once", async () => {
  expect(await match(["i1", "i2", "i1"])).toEqual(["s1", "s2"]);
});

test("an unknown index, or one of another user's session or another service provider, ends nothing", async () => {
  expect(await match(["i3", "i4", "i9"])).toEqual([]);
});

test("without an index the browser's session ends if the service provider knows the user by that name", async () => {
  expect(await match([], "s1")).toEqual(["s1"]);
  expect(await match([], "s1", "mallory")).toEqual([]);
  expect(await match([], "s4")).toEqual([]);
  expect(await match([])).toEqual([]);
});

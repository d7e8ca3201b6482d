import { expect, test } from "vitest";
import type { ListedSession } from "../sessions/session-store-redis.ts";
import { endAccess } from "./session-pages.ts";

const account = "alice@example.test";
const other: ListedSession = {
  uid: "other",
  sid: "cookie",
  accountId: "1",
  account,
  loginTs: 0,
  remember: false,
  iat: 0,
  exp: 1,
  lastSeenMs: 0,
  authorizations: {},
};

test("no mail client is left that another session signs in until that session ends", async () => {
  const mailClients = new Set(["old"]);
  let isAlive = true;
  const sessions = {
    listAll: async () => {
      if (!isAlive) return [];
      mailClients.add("new");
      return [other];
    },
    end: async () => {
      isAlive = false;
      return other;
    },
  };
  const mailSignIns = {
    end: async () => false,
    endAll: async () => {
      const { size } = mailClients;
      mailClients.clear();
      return size;
    },
  };
  const deps = {
    sessions,
    mailSignIns,
    onEnded: async () => {},
    onAllEnded: async () => {},
    audit: { record: () => {} },
  };
  await endAccess(deps, { request: { caller: null, id: "request" } }, { account, uid: "own" });
  expect([...mailClients]).toEqual([]);
});

test("other regions hear that all sessions were ended, and nothing of a single one", async () => {
  const heard: string[] = [];
  const deps = {
    sessions: { listAll: async () => [other], end: async () => other },
    mailSignIns: undefined,
    onEnded: async () => {},
    onAllEnded: async (name: string) => void heard.push(name),
    audit: { record: () => {} },
  };
  const visit = { request: { caller: null, id: "request" } };
  await endAccess(deps, visit, { account, uid: "own" }, other.uid);
  expect(heard).toEqual([]);
  await endAccess(deps, visit, { account, uid: "own" });
  expect(heard).toEqual([account]);
});

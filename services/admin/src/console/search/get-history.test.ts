import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { RecordedDecision } from "@postern/shared/domain/history";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { getHistory } from "./get-history.ts";

const history = {
  ofAccount: async () => [],
  ofNetwork: async () => [],
  ofReference: async () => undefined,
};

const locate = async () => ({ state: "off" as const, placeOf: () => ({}) });

async function pageFor(accountNames: FindAccountNames): Promise<unknown> {
  await using app = Fastify();
  app.decorateRequest("caller", null);
  app.get(
    "/history",
    getHistory({ history, accountNames, auditReads: () => undefined, locate, domains: { current: undefined } }),
  );
  return (await app.inject({ url: "/history", query: { account: "alias" } })).json();
}

test("an alias whose account no backend could name is not reported as one without sign-ins", async () => {
  const isDenied = false;
  expect(await pageFor(async () => ({ accounts: [], spellings: [], isComplete: false, isDenied }))).toEqual({
    records: [],
    incomplete: [expect.stringContaining("backend")],
  });
  expect(await pageFor(async () => ({ accounts: [], spellings: [], isComplete: true, isDenied }))).toEqual({
    records: [],
  });
  expect(
    await pageFor(async () => ({ accounts: ["a@example.test"], spellings: [], isComplete: false, isDenied })),
  ).toEqual({
    records: [],
  });
});

const record = (client: string): RecordedDecision => ({
  timeMs: 0,
  firstMs: 0,
  count: 1,
  outcome: "ok",
  channel: "mail",
  account: "alice",
  username: "alice",
  clientIp: "203.0.113.9",
  protocol: "imap",
  reason: "",
  rule: "",
  step: "",
  client,
  instance: "",
  session: "s",
});

const knowsAlice = async () => ({ accounts: ["alice"], spellings: [], isComplete: true, isDenied: false });

test("of a program, only records that have it are read, and only then is the account", async () => {
  const read: string[] = [];
  const kept = { ...history, ofAccount: async () => [record("iPhone Mail"), record("")] };
  await using app = Fastify();
  app.decorateRequest("caller", null);
  const auditReads = ({ target }: { readonly target: string }) => void read.push(target);
  const domains = { current: undefined };
  app.get("/history", getHistory({ history: kept, accountNames: knowsAlice, auditReads, locate, domains }));
  const found = async (program: string): Promise<number> =>
    (await app.inject({ url: "/history", query: { account: "alice", program } })).json().records.length;
  expect([await found("thunderbird"), read]).toEqual([0, []]);
  expect([await found("mail iphone"), read]).toEqual([1, ["alice"]]);
});

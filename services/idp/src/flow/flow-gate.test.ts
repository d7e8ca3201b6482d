import { expect, test } from "vitest";
import { browserDigest, csrfToken, newBrowserToken } from "./browser-binding.ts";
import { createFlowGate } from "./flow-gate.ts";
import type { FlowRecord } from "./flow-record.ts";
import type { FlowStore } from "./flow-store-redis.ts";

const mine = newBrowserToken();
const others = newBrowserToken();

function flowOf(change: Partial<FlowRecord> = {}): FlowRecord {
  return {
    id: "flow-1",
    kind: "oidc",
    state: "login",
    version: 1,
    browser: browserDigest(mine),
    expiresAtMs: 1,
    ...change,
  };
}

/** A store like the one in Redis: a record is replaced only if its version is still the one that was read. */
function gateOf(...flows: readonly FlowRecord[]) {
  const records = new Map(flows.map((flow) => [flow.id, flow]));
  const store: FlowStore = {
    begin: async () => true,
    find: async (id) => records.get(id),
    replace: async (next) => {
      if (records.get(next.id)?.version !== next.version) return undefined;
      const written = { ...next, version: next.version + 1 };
      records.set(next.id, written);
      return written;
    },
    latestOf: async (browser) => [...records.values()].findLast((flow) => flow.browser === browser)?.id,
  };
  return { gate: createFlowGate(store), records };
}

test("a browser can open its flow only at the flow's state; elsewhere it receives that state", async () => {
  const { gate } = gateOf(flowOf());
  const presented = { browserToken: mine, flowId: "flow-1" };
  expect(await gate.enter(presented, ["login"])).toMatchObject({ passage: "open", flow: { id: "flow-1" } });
  expect(await gate.enter(presented, ["factor"])).toMatchObject({ passage: "elsewhere", flow: { state: "login" } });
});

test.each([
  ["the cookie of another browser", { browserToken: others, flowId: "flow-1" }],
  ["no cookie", { browserToken: undefined, flowId: "flow-1" }],
  ["a cookie that is not a browser token", { browserToken: "short", flowId: "flow-1" }],
  ["an unknown flow", { browserToken: mine, flowId: "flow-2" }],
  ["an identifier that is part of another Redis key", { browserToken: mine, flowId: "flow-1}:x" }],
])("a request with %s cannot open the flow", async (_who, presented) => {
  const { gate } = gateOf(flowOf());
  expect(await gate.enter(presented, ["login"])).toEqual({ passage: "none" });
});

test("a finished flow cannot be opened, even by its own browser", async () => {
  const { gate } = gateOf(flowOf({ state: "finished" }));
  expect(await gate.enter({ browserToken: mine, flowId: "flow-1" }, ["finished"])).toMatchObject({ passage: "over" });
});

test("a URL without a flow opens the browser's latest flow", async () => {
  const { gate } = gateOf(flowOf(), flowOf({ id: "flow-2" }), flowOf({ id: "flow-3", browser: browserDigest(others) }));
  expect(await gate.enter({ browserToken: mine }, ["login"])).toMatchObject({ flow: { id: "flow-2" } });
});

test("a form needs the CSRF token of its flow and browser; a flow in the URL does not replace it", async () => {
  const { gate } = gateOf(flowOf());
  const token = csrfToken("flow-1", mine);
  expect(await gate.submit({ browserToken: mine, csrfToken: token }, ["login"])).toMatchObject({ passage: "open" });
  expect(await gate.submit({ browserToken: others, csrfToken: token }, ["login"])).toEqual({ passage: "none" });
  expect(await gate.submit({ browserToken: mine, csrfToken: csrfToken("flow-2", mine) }, ["login"])).toEqual({
    passage: "none",
  });
  expect(await gate.submit({ browserToken: mine, flowId: "flow-1" }, ["login"])).toEqual({ passage: "none" });
});

test("only one of several transitions based on the same record is applied", async () => {
  const { gate, records } = gateOf(flowOf());
  const read = await gate.reread("flow-1");
  if (read === undefined) throw new Error("no flow");
  const moves = await Promise.all([
    gate.move(read, "password_accepted"),
    gate.move(read, "signed_in"),
    gate.restart(flowOf({ state: "factor" })),
  ]);
  expect(moves.filter((moved) => moved !== undefined)).toHaveLength(1);
  expect(records.get("flow-1")).toMatchObject({ state: "factor", version: 2 });
});

test("a transition that is not in the table throws and changes nothing", () => {
  const { gate, records } = gateOf(flowOf({ state: "latched" }));
  expect(() => gate.move(flowOf({ state: "latched" }), "signed_in")).toThrow(RangeError);
  expect(() => gate.restart(flowOf({ state: "ready" }))).toThrow(RangeError);
  expect(records.get("flow-1")?.version).toBe(1);
});

const pending = {
  account: "alice",
  attributes: {},
  backend: 8,
  remember: false,
  passwordTs: 1,
  methods: ["totp"],
} as const;

test("a restart discards the accepted password and the displayed failure", async () => {
  const { gate } = gateOf(flowOf({ state: "factor" }));
  const current = flowOf({ state: "factor", pending, hasFailed: true, failedReference: "r1", accountId: "bob" });
  const restarted = await gate.restart(current);
  expect(restarted).toEqual(flowOf({ version: 2, accountId: "bob" }));
});

test("a restart from the consent page discards the session's account, and may report a failure", async () => {
  const { gate } = gateOf(flowOf({ state: "consent" }));
  const current = flowOf({ state: "consent", accountId: "bob", sessionUid: "s1" });
  const restarted = await gate.restart(current, { hasFailed: true, failedReference: "r2" });
  expect(restarted).toEqual(flowOf({ version: 2, hasFailed: true, failedReference: "r2" }));
});

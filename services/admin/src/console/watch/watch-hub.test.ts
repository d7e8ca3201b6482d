import { decisionsSeen, maxWatches, type Payload, watchesRenewed } from "@postern/shared/contracts";
import { connectBus, LocalBus } from "@postern/shared/platform/bus";
import { expect, test } from "vitest";
import { WatchHub, type Watching } from "./watch-hub.ts";

type Seen = Payload<typeof decisionsSeen>;

const decision: Seen["decisions"][number] = {
  timeMs: 1,
  outcome: "ok",
  channel: "mail",
  username: "alice",
  clientIp: "",
  protocol: "imap",
  reason: "",
  rule: "",
  step: "",
  client: "",
  session: "s",
};

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** Events arrive in microtasks. */
const settled = () => new Promise((resolve) => void setImmediate(resolve));

async function setUp(engines: number) {
  const renewals: Payload<typeof watchesRenewed>[] = [];
  const options = { servers: [], namespace: "test", logger: quiet, local: new LocalBus(["admin"], true) };
  const bus = await connectBus({ ...options, name: "admin" });
  const engine = await connectBus({ ...options, name: "auth-engine" });
  engine.subscribe(watchesRenewed, (body) => void renewals.push(body));
  const hub = new WatchHub({ bus, engineWatch: { engines: () => engines }, clock: { now: () => 0 } });
  const said: unknown[] = [];
  const watching: Watching = {
    sources: (sources) => said.push(sources),
    decision: ({ instance, username }) => said.push(`${instance}: ${username}`),
    dropped: (count) => said.push(count),
    end: () => said.push("end"),
  };
  /** Reports for the first watch. */
  const seen = async (instance: string, matched: number, count = 0): Promise<void> => {
    await settled();
    const decisions = Array.from({ length: count }, () => decision);
    const watch = renewals.findLast(({ watches }) => watches.length > 0)?.watches[0]?.id ?? "0".repeat(16);
    engine.publish(decisionsSeen, { watch, service: "auth-engine", instance, decisions, matched });
    await settled();
  };
  return { hub, watching, renewals, said, seen };
}

test("decisions are passed on, and those that are missing in the sums of each engine are counted", async () => {
  const { hub, watching, said, seen } = await setUp(2);
  hub.open({}, watching);
  await seen("one", 0);
  await seen("two", 3, 1);
  await seen("one", 1, 1);
  // A report was lost.
  await seen("one", 5, 2);
  // The engine has forgotten this watch, and begins to count again.
  await seen("one", 1, 1);
  const sources = { engines: 2, live_engines: 2, identity_providers: 0 };
  expect(said).toEqual([sources, "two: alice", 2, "one: alice", "one: alice", "one: alice", 2, "one: alice"]);
});

test("services are renewals while somebody watches, and told when nobody does", async () => {
  const { hub, watching, renewals, seen, said } = await setUp(1);
  const first = hub.open({ outcomes: ["ok"] }, watching);
  const second = hub.open({}, watching);
  await settled();
  expect(renewals.at(-1)?.watches.map(({ filter }) => filter)).toEqual([{ outcomes: ["ok"] }, {}]);
  first?.();
  first?.();
  await seen("one", 1, 1);
  expect(said.at(-1)).toBe("one: alice");
  expect([renewals.at(-1)?.watches.length, hub.size]).toEqual([1, 1]);
  second?.();
  await settled();
  expect([renewals.at(-1)?.watches.length, hub.size]).toEqual([0, 0]);
  const known = said.length;
  await seen("one", 9, 1);
  expect(said).toHaveLength(known);
});

test("watches are bounded, and a process that stops ends them and admits none", async () => {
  const { hub, watching, said } = await setUp(1);
  const opened = Array.from({ length: maxWatches }, () => hub.open({}, watching));
  expect(opened).not.toContain(undefined);
  expect(hub.open({}, watching)).toBeUndefined();
  hub.end();
  expect(said).toHaveLength(maxWatches);
  opened[0]?.();
  expect(hub.open({}, watching)).toBeUndefined();
  for (const close of opened) close?.();
});

import { poll } from "@postern/testing";
import { expect, test } from "vitest";
import { startLoad } from "../../support/load.ts";
import { routeCuts, startNatsPair } from "../../support/nats-pair.ts";
import { startStack } from "../../support/stack.ts";
import { showFigures } from "./figures.ts";

/** Far longer than the gateway needs to leave the node: a request that waits for its deadline is a wrong answer. */
const decision = "60s";

test.each(["hang", "are closed"] as const)(
  "the routes of a NATS node %s under load, and its gateway hears no engine: it moves to the other node, and no request fails",
  async (cut) => {
    await using servers = new AsyncDisposableStack();
    const nats = await startNatsPair(servers);
    const settings = { runtime: { timeouts: { decision }, bus: { servers: [nats.whole.url] } } };
    await using stack = await startStack({ engines: 2, settings });
    const { url, process: gateway } = await stack.startReplica("gateway", {
      SERVICE_RUNTIME_BUS_SERVERS: nats.cutOff.url,
    });
    const shows = async (series: string): Promise<boolean> => (await gateway.metrics()).includes(`${series}\n`);
    await poll("the heartbeats", () => shows("service_engines_heard 2"));
    const loads = [stack.url, url].map((each) => startLoad(each, { loops: 8 }));
    const more = async (answers: number): Promise<void> => {
      const before = loads.map((load) => load.answered());
      await poll(
        "answers",
        () => loads.every((load, index) => load.answered() > (before[index] ?? 0) + answers),
        120_000,
      );
    };
    await more(100);
    await routeCuts[cut](nats);
    await poll("the move", () => shows('service_bus_events_total{fact="moved"} 1'), 60_000);
    await more(500);
    const surprises = await Promise.all(loads.map((load) => load.stop()));
    showFigures(`routes ${cut}`, { "slowest ms": Math.max(...loads.map((load) => load.slowestMs())) });
    expect(surprises).toEqual([[], []]);
    expect(await shows('service_bus_events_total{fact="moved"} 1')).toBe(true);
    expect(gateway.output().match(/bus connection moves to another server/g)).toHaveLength(1);
  },
);

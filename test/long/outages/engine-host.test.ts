import { freePort, pause, poll, spawnNats } from "@postern/testing";
import { expect, test } from "vitest";
import { startLoad } from "../../support/load.ts";
import { startService, untilReady } from "../../support/service-process.ts";
import { startStack } from "../../support/stack.ts";
import { showFigures } from "./figures.ts";
import { startHost } from "./host.ts";

/** Far longer than the test may take: a request that waits for its deadline is a wrong answer. */
const decision = "900s";
/** The fault continues while this many requests are answered, which takes twenty seconds and more. */
const duringFault = 20_000;

test.each(["frozen", "gone with its host"] as const)(
  "one of three engines is %s under load: both gateways decide every request, for as long as it lasts",
  async (fault) => {
    await using host = await startHost();
    await using nats = await spawnNats({ listen: "0.0.0.0" });
    const settings = { runtime: { timeouts: { decision }, bus: { servers: [nats.url] } } };
    await using stack = await startStack({ engines: 2, settings });
    await using third = await startService("auth-engine", {
      configFile: stack.configFile,
      privatePort: await freePort(),
      env: { SERVICE_RUNTIME_BUS_SERVERS: `nats://${host.here}:${nats.port}` },
      place: host,
    });
    await untilReady(third);
    const second = await stack.startReplica("gateway");
    const gateways = [stack.gateway, second.process];
    const heard = async (count: number): Promise<boolean> =>
      (await Promise.all(gateways.map((gateway) => gateway.metrics()))).every((text) =>
        text.includes(`service_engines_heard ${count}\n`),
      );
    await poll("the heartbeats", () => heard(3));
    const loads = [stack.url, second.url].map((url) => startLoad(url, { loops: 8 }));
    const answered = (): number => loads.reduce((sum, load) => sum + load.answered(), 0);
    const more = async (count: number): Promise<void> => {
      const before = answered();
      await poll("answers", () => answered() > before + count, 120_000);
    };
    await more(500);
    if (fault === "frozen") await pause(third);
    else await host.vanish();
    const startedAt = performance.now();
    await poll("the gateways to notice", () => heard(2));
    await more(duringFault);
    const lastedMs = performance.now() - startedAt;
    const surprises = (await Promise.all(loads.map((load) => load.stop()))).flat();
    showFigures(`one of three engines ${fault}`, {
      "for ms": lastedMs,
      answered: answered(),
      failed: surprises.length,
      "slowest ms": Math.max(...loads.map((load) => load.slowestMs())),
    });
    expect(surprises).toEqual([]);
    expect(await heard(2)).toBe(true);
  },
  300_000,
);

import { createService, privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import { runService, type Service } from "@postern/shared/platform/lifecycle";
import { createContext } from "./context.ts";
import { reportEngine } from "./engine-report.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { preflight } from "./preflight.ts";
import { serveEngine } from "./server.ts";
import { liveEngineSettings } from "./settings.ts";

async function start(config: Config): Promise<Service> {
  const context = await createContext(config);
  const { logger, health, bus, backends, passwords, mailTokens, resultCache, makeBackends, scripts } = context;
  const { redis, bruteForce, risk } = context;
  const privateListener = await privateListenerAt(context.settings.privateAddress, context);
  await Promise.all([bruteForce?.ready(), risk?.ready()]);
  const servings = serveEngine(context);
  // "ready" means that requests arrive, so it waits until NATS knows the subscriptions. While NATS is unavailable, the
  // health check reports it, and the subscriptions are sent on connection.
  await bus
    .flush()
    .catch((err: unknown) => logger.warn({ err }, "NATS is unavailable: no requests arrive until it connects"));
  const inFlight = (): number => servings.reduce((sum, serving) => sum + serving.inFlight(), 0);
  const heartbeat = startHeartbeat(bus, context.engineId, inFlight);
  health.phase = "ready";
  logger.info("ready");
  return createService({
    config,
    base: context,
    health,
    bus,
    report: () => reportEngine(context),
    apply: async (next) => {
      const live = liveEngineSettings(next);
      const rules = context.makeRules(live);
      const prepared = await scripts.prepare(next);
      const newBackends = await makeBackends(live).catch(async (error: unknown) => {
        await prepared.discard();
        throw error;
      });
      backends.swap(newBackends);
      context.rules.current = rules;
      prepared.use();
      context.live.current = live;
      await bruteForce?.reload(next);
    },
    steps: [
      { name: "farewell", run: heartbeat.drain },
      { name: "bus", run: () => bus.drain() },
      { name: "beat", run: heartbeat.stop },
      { name: "recovery codes", run: () => context.closeSecondFactors() },
      { name: "last uses of app passwords", run: () => context.appPasswordUses.settled() },
      { name: "decision history", run: () => context.history?.close() },
      { name: "facts about sign-ins", run: () => risk?.close() },
      { name: "directories", run: () => backends.close() },
      { name: "scripts", run: () => scripts.close() },
      { name: "keys of access tokens", run: () => mailTokens?.tokens.close() },
      { name: "redis", run: () => redis?.disconnect() },
      { name: "redis of the result cache", run: () => resultCache.redis?.disconnect() },
      { name: "password verification", run: () => passwords.close() },
      { name: "private listener", run: () => privateListener.close() },
    ],
  });
}

await runService({ name: "auth-engine", preflight, start });

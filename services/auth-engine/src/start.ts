import { createService, privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import type { PreparedReload, Service, ServiceProgram, SharedByProcess } from "@postern/shared/platform/lifecycle";
import { createContext, type EngineContext } from "./context.ts";
import { reportEngine } from "./engine-report.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { preflight } from "./preflight.ts";
import { serveEngine } from "./server.ts";
import { liveEngineSettings } from "./settings.ts";

/** Everything that is built from the live settings, replaced together. */
async function prepareReload(context: EngineContext, next: Config): Promise<PreparedReload> {
  const live = liveEngineSettings(next);
  const rules = context.makeRules(live);
  const prepared = await context.scripts.prepare(next);
  const newBackends = await context.makeBackends(live).catch(async (error: unknown) => {
    await prepared.discard();
    throw error;
  });
  const discard = async (): Promise<void> => {
    await Promise.all([prepared.discard(), ...newBackends.map((backend) => backend.close())]);
  };
  const domains = context.domains.prepare(next);
  const shadow = await context.shadow.prepare(live.shadow).catch(async (error: unknown) => {
    await Promise.all([discard(), domains.discard()]);
    throw error;
  });
  return {
    use: async () => {
      context.backends.swap(newBackends);
      domains.use();
      context.rules.current = rules;
      prepared.use();
      context.live.current = live;
      shadow.use();
      await context.bruteForce?.reload(next);
    },
    discard: async () => {
      await Promise.all([discard(), domains.discard(), shadow.discard()]);
    },
  };
}

async function start(config: Config, shared: SharedByProcess): Promise<Service> {
  const context = await createContext(config, shared);
  const { logger, health, bus, backends, passwords, mailTokens, resultCache, scripts } = context;
  const { redis, bruteForce, risk, suspensions } = context;
  const privateListener = await privateListenerAt(context.settings.privateAddress, context);
  await Promise.all([bruteForce?.ready(), risk?.ready(), suspensions.ready()]);
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
    prepare: (next) => prepareReload(context, next),
    steps: [
      { name: "last heartbeat", run: heartbeat.drain },
      { name: "bus", run: () => bus.drain() },
      { name: "heartbeats", run: heartbeat.stop },
      { name: "a rehearsal", run: () => context.rehearsing.close() },
      { name: "recovery codes", run: () => context.closeSecondFactors() },
      { name: "last uses of app passwords", run: () => context.appPasswordUses.settled() },
      {
        name: "decision history and sign-ins over time",
        run: () => Promise.all([context.history?.close(), context.rollups.close(), context.origins?.close()]),
      },
      { name: "the shadow", run: () => context.shadow.close() },
      { name: "facts about sign-ins", run: () => risk?.close() },
      { name: "directories", run: () => Promise.all([backends.close(), context.domains.close()]) },
      { name: "scripts", run: () => scripts.close() },
      { name: "keys of access tokens", run: () => mailTokens?.close() },
      { name: "redis", run: () => redis.disconnect() },
      { name: "redis of the result cache", run: () => resultCache.redis?.disconnect() },
      { name: "password verification", run: () => passwords.close() },
      { name: "private listener", run: () => privateListener.close() },
    ],
  });
}

/** The service, for its own process and for one with others. */
export const engine: ServiceProgram = { name: "auth-engine", preflight, start };

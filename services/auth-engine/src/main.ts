import { createService, privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import { runService, type Service } from "@postern/shared/lifecycle";
import { startBeat } from "./beat.ts";
import { createContext } from "./context.ts";
import { serveEngine } from "./server.ts";
import { liveEngineSettings } from "./settings.ts";

async function start(config: Config): Promise<Service> {
  const context = await createContext(config);
  const { logger, health, bus, directories, passwords, mailTokens, resultCache, makeDirectories, scripts } = context;
  const { redis, bruteForce } = context;
  const privateListener = await privateListenerAt(context.settings.privateAddress, context);
  const servings = serveEngine(context);
  // Only once NATS knows of the subscription does "ready" mean that requests arrive. While NATS is away the health
  // check says so, and the subscription goes out with the connection.
  await bus.flush().catch((err: unknown) => logger.warn({ err }, "NATS is away: no requests until it comes"));
  const inFlight = (): number => servings.reduce((sum, serving) => sum + serving.inFlight(), 0);
  const endBeat = startBeat({ bus, instance: context.instance, inFlight });
  health.phase = "ready";
  logger.info("ready");
  return createService({
    config,
    base: context,
    health,
    apply: async (next) => {
      const live = liveEngineSettings(next);
      const rules = context.makeRules(live);
      const prepared = await scripts.prepare(next);
      const made = await makeDirectories(live.directories).catch(async (error: unknown) => {
        await prepared.discard();
        throw error;
      });
      directories.swap(made);
      context.rules.current = rules;
      prepared.use();
      context.live.current = live;
      await bruteForce?.reload(next);
    },
    steps: [
      { name: "bus", run: () => bus.drain() },
      { name: "beat", run: endBeat },
      { name: "recovery codes", run: () => context.closeMfaArtefacts() },
      { name: "last uses of app passwords", run: () => context.appPasswordUses.settled() },
      { name: "directories", run: () => directories.close() },
      { name: "scripts", run: () => scripts.close() },
      { name: "keys of access tokens", run: () => mailTokens?.tokens.close() },
      { name: "redis", run: () => redis?.disconnect() },
      { name: "redis of the result cache", run: () => resultCache.redis?.disconnect() },
      { name: "password verification", run: () => passwords.close() },
      { name: "private listener", run: () => privateListener.close() },
    ],
  });
}

await runService(start);

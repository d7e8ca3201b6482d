import { createService, privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import { runService, type Service } from "@postern/shared/lifecycle";
import { createContext } from "./context.ts";
import { serveEngine } from "./server.ts";
import { liveEngineSettings } from "./settings.ts";

async function start(config: Config): Promise<Service> {
  const context = await createContext(config);
  const { logger, health, bus, directories, passwords, makeDirectories } = context;
  const privateListener = await privateListenerAt(context.settings.privateAddress, context);
  serveEngine(context);
  // Only once NATS knows of the subscription does "ready" mean that requests arrive.
  await bus.flush();
  health.phase = "ready";
  logger.info("ready");
  return createService({
    config,
    base: context,
    health,
    apply: async (next) => {
      const live = liveEngineSettings(next);
      directories.swap(await makeDirectories(live.directories));
      context.live.current = live;
    },
    steps: [
      { name: "bus", run: () => bus.drain() },
      { name: "directories", run: () => directories.close() },
      { name: "password verification", run: () => passwords.close() },
      { name: "private listener", run: () => privateListener.close() },
    ],
  });
}

await runService(start);

import { createService, flushSettings, privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import { runService, type Service } from "@postern/shared/lifecycle";
import { createContext } from "./context.ts";

async function start(config: Config): Promise<Service> {
  const context = await createContext(config);
  const { logger, health, privateAddress, redis, bus, watch } = context;
  const privateListener = await privateListenerAt(privateAddress, context);
  const worker = context.startWorker();
  const notices = context.startNotices();
  health.phase = "ready";
  logger.info("ready");
  return createService({
    config,
    base: context,
    health,
    apply: (next) => {
      context.live.current = flushSettings(next);
    },
    steps: [
      { name: "jobs", run: () => worker.close() },
      { name: "notices", run: () => notices?.close() },
      { name: "bus", run: () => bus.drain() },
      {
        name: "redis",
        run: () => {
          watch.stop();
          for (const client of Object.values(redis)) client?.disconnect();
        },
      },
      { name: "private listener", run: () => privateListener.close() },
    ],
  });
}

await runService(start);

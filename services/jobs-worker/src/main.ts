import { createService, flushSettings, privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import { runService, type Service } from "@postern/shared/platform/lifecycle";
import { createContext } from "./context.ts";
import { preflight } from "./preflight.ts";

async function start(config: Config): Promise<Service> {
  const context = await createContext(config);
  const { logger, health, privateAddress, redis, bus, engineWatch, watch } = context;
  const privateListener = await privateListenerAt(privateAddress, context);
  const worker = context.startWorker();
  const notifications = context.startNotifications();
  health.phase = "ready";
  logger.info("ready");
  return createService({
    config,
    base: context,
    health,
    bus,
    apply: (next) => {
      context.live.current = flushSettings(next);
    },
    steps: [
      // In parallel, so that a flush that uses up the grace period leaves deliveries their time.
      { name: "jobs and user notifications", run: () => Promise.all([worker.close(), notifications?.close()]) },
      { name: "bus", run: () => bus.drain() },
      { name: "engine watch", run: () => engineWatch.close() },
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

await runService({ name: "jobs-worker", preflight, start });

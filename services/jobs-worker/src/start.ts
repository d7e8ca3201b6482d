import { createService, flushSettings, privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import type { Service, ServiceProgram, SharedByProcess } from "@postern/shared/platform/lifecycle";
import { createContext } from "./context.ts";
import { preflight } from "./preflight.ts";

async function start(config: Config, shared: SharedByProcess): Promise<Service> {
  const context = await createContext(config, shared);
  const { logger, health, privateAddress, redis, bus, engineWatch, watch } = context;
  const privateListener = await privateListenerAt(privateAddress, context);
  const worker = context.startWorker();
  const notifications = context.startNotifications();
  const regions = await context.startRegions();
  health.phase = "ready";
  logger.info("ready");
  return createService({
    config,
    base: context,
    health,
    bus,
    prepare: (next) => {
      const live = flushSettings(next);
      return {
        use: () => {
          context.live.current = live;
        },
      };
    },
    steps: [
      // In parallel, so that a flush that uses up the grace period leaves deliveries their time.
      {
        name: "jobs, user notifications and other regions",
        run: () => Promise.all([worker.close(), notifications?.close(), regions?.stop()]),
      },
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

/** The service, for its own process and for one with others. */
export const jobsWorker: ServiceProgram = { name: "jobs-worker", preflight, start };

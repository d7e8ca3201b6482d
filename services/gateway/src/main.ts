import { privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import { openListeners } from "@postern/shared/http";
import { runService, type Service, shutDown } from "@postern/shared/lifecycle";
import { createContext } from "./context.ts";
import { createGateway } from "./server.ts";
import { liveGatewaySettings } from "./settings.ts";

async function start(config: Config): Promise<Service> {
  const context = await createContext(config);
  const { logger, health, settings, live, bus, processLogger } = context;
  const privateListener = await privateListenerAt(settings.privateAddress, context);
  const app = await createGateway(context);
  const listeners = await openListeners({
    addresses: settings.addresses,
    handle: (request, response) => app.routing(request, response),
    requestTimeoutMs: settings.requestTimeoutMs,
    keepAliveTimeoutMs: 72_000,
    logger,
  });
  health.phase = "ready";
  logger.info({ addresses: listeners.addresses }, "ready");
  return {
    logger,
    flushLogs: () => processLogger.flush(),
    reload: async (next) => {
      live.current = liveGatewaySettings(next);
      processLogger.setLevel(next.observability.log.level);
      logger.info("configuration reloaded");
    },
    reloadRefused: (problems) => logger.error({ problems }, "configuration refused, the old one stays"),
    stop: () =>
      shutDown({
        health,
        logger,
        delayMs: () => live.current.shutdownDelayMs,
        graceMs: () => live.current.shutdownGraceMs,
        steps: [
          { name: "listeners", run: () => listeners.close() },
          { name: "routes", run: () => app.close() },
          { name: "bus", run: () => bus.drain() },
          { name: "private listener", run: () => privateListener.close() },
        ],
      }),
  };
}

await runService(start);

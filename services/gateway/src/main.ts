import { createService, privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import { openListeners } from "@postern/shared/http";
import { runService, type Service } from "@postern/shared/lifecycle";
import { createContext } from "./context.ts";
import { createGateway } from "./server.ts";
import { liveGatewaySettings } from "./settings.ts";

async function start(config: Config): Promise<Service> {
  const context = await createContext(config);
  const { logger, health, settings, bus, callerTokens, state } = context;
  const privateListener = await privateListenerAt(settings.privateAddress, context);
  const app = await createGateway(context);
  const handle: typeof app.routing = (request, response) => app.routing(request, response);
  const { addresses, requestTimeoutMs } = settings;
  const listeners = await openListeners({ addresses, handle, requestTimeoutMs, logger });
  health.phase = "ready";
  logger.info({ addresses: listeners.addresses }, "ready");
  return createService({
    config,
    base: context,
    health,
    apply: (next) => {
      context.live.current = liveGatewaySettings(next, context.bearer);
    },
    steps: [
      { name: "listeners", run: () => listeners.close() },
      { name: "routes", run: () => app.close() },
      { name: "bus", run: () => bus.drain() },
      { name: "keys of tokens", run: () => callerTokens.close() },
      { name: "redis", run: () => state.disconnect() },
      { name: "private listener", run: () => privateListener.close() },
    ],
  });
}

await runService(start);

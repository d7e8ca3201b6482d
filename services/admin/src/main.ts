import { createService, privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import { ownerHeaderBytes as maxHeaderBytes, openListeners } from "@postern/shared/platform/http";
import { runService, type Service } from "@postern/shared/platform/lifecycle";
import { createContext } from "./context.ts";
import { preflight } from "./preflight.ts";
import { createAdmin } from "./server.ts";
import { liveAdminSettings } from "./settings.ts";

async function start(config: Config): Promise<Service> {
  const context = await createContext(config);
  const { logger, health, settings, state, cache, queue, bus, engineWatch, passwords, hooks, serviceReports } = context;
  const privateListener = await privateListenerAt(settings.privateAddress, context);
  const app = await createAdmin(context);
  const handle: typeof app.routing = (request, response) => app.routing(request, response);
  const { address, requestTimeoutMs, identifier } = settings;
  const options = { requestTimeoutMs, identifier, maxHeaderBytes, logger };
  const listeners = await openListeners({ ...options, addresses: [address], handle });
  health.phase = "ready";
  logger.info({ addresses: listeners.addresses }, "ready");
  return createService({
    config,
    base: context,
    health,
    bus,
    apply: async (next) => {
      const live = liveAdminSettings(next);
      const prepared = await hooks.prepare(next);
      prepared.use();
      context.live.current = live;
    },
    steps: [
      {
        name: "listeners",
        run: () => {
          context.consoleStreams.end();
          return listeners.close();
        },
      },
      { name: "routes", run: () => app.close() },
      { name: "bus", run: () => bus.drain() },
      { name: "engine watch", run: () => engineWatch.close() },
      { name: "service reports", run: () => serviceReports.close() },
      { name: "hooks", run: () => hooks.close() },
      { name: "password hashing", run: () => passwords.close() },
      {
        name: "redis",
        run: () => {
          for (const client of [state, cache, queue]) client.disconnect();
        },
      },
      { name: "private listener", run: () => privateListener.close() },
    ],
  });
}

await runService({ name: "admin", preflight, start });

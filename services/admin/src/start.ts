import { createService, privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import { ownerHeaderBytes as maxHeaderBytes, openListeners } from "@postern/shared/platform/http";
import type { Service, ServiceProgram, SharedByProcess } from "@postern/shared/platform/lifecycle";
import { createContext } from "./context.ts";
import { preflight } from "./preflight.ts";
import { createAdmin } from "./server.ts";
import { liveAdminSettings } from "./settings.ts";

/** The sessions of suspended operators are refused once Redis has been read; without Redis, there are none. */
const firstReadMs = 1000;

async function start(config: Config, shared: SharedByProcess): Promise<Service> {
  const context = await createContext(config, shared);
  const { logger, health, settings, state, cache, queue, bus, engineWatch, passwords, hooks, serviceReports } = context;
  const privateListener = await privateListenerAt(settings.privateAddress, context);
  const app = await createAdmin(context);
  const handle: typeof app.routing = (request, response) => app.routing(request, response);
  const { address, requestTimeoutMs, identifier } = settings;
  const options = { requestTimeoutMs, identifier, maxHeaderBytes, logger };
  await context.suspensions.ready(firstReadMs);
  const listeners = await openListeners({
    ...options,
    addresses: [address],
    socketPath: shared.socketOf("admin"),
    handle,
  });
  health.phase = "ready";
  logger.info({ addresses: listeners.addresses }, "ready");
  return createService({
    config,
    base: context,
    health,
    bus,
    prepare: async (next) => {
      const live = liveAdminSettings(next);
      const prepared = await hooks.prepare(next);
      return {
        use: () => {
          prepared.use();
          context.live.current = live;
          context.domains.reload(next);
        },
        discard: () => prepared.discard(),
      };
    },
    steps: [
      {
        name: "listeners",
        run: () => {
          context.consoleStreams.end();
          context.watchHub.end();
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

/** The service, for its own process and for one with others. */
export const admin: ServiceProgram = { name: "admin", preflight, start };

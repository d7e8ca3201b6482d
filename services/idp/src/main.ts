import { createService, privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import { openListeners } from "@postern/shared/http";
import { runService, type Service } from "@postern/shared/lifecycle";
import { createContext } from "./context.ts";
import { oidcSettings } from "./oidc/oidc-settings.ts";
import { createIdp } from "./server.ts";

async function start(config: Config): Promise<Service> {
  const context = await createContext(config);
  const { logger, health, settings, state, bus, oidc, saml, pages } = context;
  const privateListener = await privateListenerAt(settings.privateAddress, context);
  await saml?.start();
  const app = await createIdp(context);
  const handle: typeof app.routing = (request, response) => app.routing(request, response);
  const { address, requestTimeoutMs } = settings;
  const listeners = await openListeners({ addresses: [address], handle, requestTimeoutMs, logger });
  oidc?.schedule.start();
  oidc?.delivery.start();
  saml?.logout.delivery.start();
  health.phase = "ready";
  logger.info({ addresses: listeners.addresses }, "ready");
  return createService({
    config,
    base: context,
    health,
    apply: async (next) => {
      await oidc?.schedule.apply(oidcSettings(next));
      await saml?.apply(next);
    },
    steps: [
      { name: "listeners", run: () => listeners.close() },
      { name: "signing keys", run: () => oidc?.schedule.close() },
      { name: "logout notices", run: () => oidc?.delivery.close() },
      { name: "SAML metadata", run: () => saml?.close() },
      { name: "SAML logout notices", run: () => saml?.logout.delivery.close() },
      { name: "routes", run: () => app.close() },
      { name: "notices", run: () => pages?.close() },
      { name: "bus", run: () => bus.drain() },
      { name: "redis", run: () => state.disconnect() },
      { name: "private listener", run: () => privateListener.close() },
    ],
  });
}

await runService(start);

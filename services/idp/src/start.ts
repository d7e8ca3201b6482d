import { createService, privateListenerAt } from "@postern/shared/assembly";
import { endsWithin } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";
import { ownerHeaderBytes as maxHeaderBytes, openListeners } from "@postern/shared/platform/http";
import type { Service, ServiceProgram, SharedByProcess } from "@postern/shared/platform/lifecycle";
import type { IdpContext } from "./context.ts";
import { reportIdp } from "./idp-report.ts";
import { oidcSettings } from "./oidc/settings/oidc-settings.ts";
import { preflight } from "./preflight.ts";

/** The gateway of the same process does not become ready before; it does not wait longer for a Redis or a web server that does not answer. */
const waitMs = { signingKeys: 5000, metadata: 1000, suspensions: 1000 };

/** Begins to read signing keys and metadata. */
async function begin({ oidc, saml }: IdpContext, isBesideGateway: boolean): Promise<void> {
  const [metadata, signingKeys] = [saml?.start(), oidc?.schedule.start()];
  if (!isBesideGateway) return metadata;
  // The gateway is ready when this service has started, and no proxy between them asks whether it is.
  await Promise.all([
    metadata && endsWithin(metadata, waitMs.metadata),
    signingKeys && endsWithin(signingKeys, waitMs.signingKeys),
  ]);
}

async function start(config: Config, shared: SharedByProcess): Promise<Service> {
  // Imported here so that what `oidc-provider` prints when it is loaded becomes a line of the log.
  const [{ createContext }, { createIdp }] = await Promise.all([import("./context.ts"), import("./server.ts")]);
  const context = await createContext(config, shared);
  const { logger, health, settings, state, suspensions, bus, engineWatch, oidc, saml, pages, liveDomains } = context;
  const privateListener = await privateListenerAt(settings.privateAddress, context);
  const app = await createIdp(context);
  const handle: typeof app.routing = (request, response) => app.routing(request, response);
  const { address, requestTimeoutMs, identifier } = settings;
  const options = { requestTimeoutMs, identifier, maxHeaderBytes, logger };
  await suspensions.ready(waitMs.suspensions);
  const listeners = await openListeners({
    ...options,
    addresses: [address],
    socketPath: shared.socketOf("idp"),
    handle,
  });
  await begin(context, shared.socketOf("idp") !== undefined);
  oidc?.delivery.start();
  saml?.logout.delivery.start();
  health.phase = "ready";
  logger.info({ addresses: listeners.addresses }, "ready");
  return createService({
    config,
    base: context,
    health,
    bus,
    report: () => reportIdp(context),
    prepare: async (next) => {
      const ofSaml = saml?.prepare(next);
      const ofOidc = await oidc?.schedule.prepare(oidcSettings(next));
      const use = async (): Promise<void> => {
        liveDomains.reload(next);
        await Promise.all([ofOidc?.use(), ofSaml?.use()]);
      };
      return { use };
    },
    steps: [
      {
        name: "listeners",
        run: () => {
          pages?.letGo();
          return listeners.close();
        },
      },
      { name: "signing keys", run: () => oidc?.schedule.close() },
      { name: "OIDC logout messages", run: () => oidc?.delivery.close() },
      { name: "SAML metadata", run: () => saml?.close() },
      { name: "SAML logout messages", run: () => saml?.logout.delivery.close() },
      { name: "routes", run: () => app.close() },
      { name: "user notifications and decision history", run: () => pages?.close() },
      { name: "last use of clients", run: () => context.clientUses.close() },
      { name: "calls of other regions", run: () => context.regionCalls?.close() },
      { name: "bus", run: () => bus.drain() },
      { name: "engine watch", run: () => engineWatch.close() },
      { name: "redis", run: () => state.disconnect() },
      { name: "private listener", run: () => privateListener.close() },
    ],
  });
}

/** The service, for its own process and for one with others. */
export const identityProvider: ServiceProgram = { name: "idp", preflight, start };

import { createService, privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import {
  type Listeners,
  type ListenersOptions,
  clientHeaderBytes as maxHeaderBytes,
  openListeners,
} from "@postern/shared/platform/http";
import { runService, type Service } from "@postern/shared/platform/lifecycle";
import { createContext, type GatewayContext } from "./context.ts";
import type { GrpcListener } from "./grpc/listener.ts";
import { preflight } from "./preflight.ts";
import { createGateway } from "./server.ts";
import { liveGatewaySettings } from "./settings.ts";

type OpenFront = Pick<Listeners, "addresses" | "close" | "renewCertificate">;

/** Opens the front channel's own listeners, if configured (ADR 0024). */
async function openFront(
  addresses: ListenersOptions["addresses"],
  options: Omit<ListenersOptions, "addresses">,
): Promise<OpenFront> {
  if (addresses.length === 0)
    return { addresses, close: async () => undefined, renewCertificate: async () => undefined };
  return openListeners({ ...options, addresses });
}

/** gRPC is loaded from disk only if it is enabled: it is a tenth of all code. */
async function openGrpc(context: GatewayContext): Promise<GrpcListener> {
  const { grpc } = context.settings;
  if (grpc === undefined) return { addresses: [], close: async () => undefined };
  const { openGrpcListener } = await import("./grpc/listener.ts");
  return openGrpcListener(context, grpc);
}

async function start(config: Config): Promise<Service> {
  const context = await createContext(config);
  const { logger, health, settings, bus, state, callerTokens, channels, engineWatch } = context;
  const privateListener = await privateListenerAt(settings.privateAddress, context);
  const app = await createGateway(context);
  const handle: typeof app.routing = (request, response) => app.routing(request, response);
  const { addresses, frontAddresses, requestTimeoutMs, identifier, tls } = settings;
  const options = { requestTimeoutMs, identifier, maxHeaderBytes, logger, accept: context.proxied?.accept };
  const listeners = await openListeners({ ...options, addresses, handle, tls });
  const frontListeners = await openFront(frontAddresses, {
    ...options,
    handle: channels.frontHandle(handle),
    // Browsers have no certificate to present.
    tls: tls === undefined ? undefined : { ...tls, caFile: undefined },
  });
  const certificateListeners = await openFront(settings.certificateAddresses, {
    ...options,
    handle: context.forward.certificates.listenerHandle(channels.frontHandle(handle)),
    tls: settings.certificateTls,
  });
  const grpc = await openGrpc(context);
  health.phase = "ready";
  const own = {
    frontend_addresses: frontListeners.addresses,
    certificate_addresses: certificateListeners.addresses,
    grpc_addresses: grpc.addresses,
  };
  logger.info({ addresses: listeners.addresses, ...own }, "ready");
  return createService({
    config,
    base: context,
    health,
    bus,
    apply: async (next) => {
      const opened = [listeners, frontListeners, certificateListeners];
      await Promise.all(opened.map((each) => each.renewCertificate()));
      context.live.current = liveGatewaySettings(next, context.bearer);
      context.keepCallers(context.live.current.callerNames);
      context.upstreams.apply(context.live.current.healthChecks);
    },
    steps: [
      {
        name: "listeners",
        run: async () => {
          context.responseDelays.end();
          await Promise.all([listeners, frontListeners, certificateListeners, grpc].map((each) => each.close()));
        },
      },
      { name: "routes", run: () => app.close() },
      { name: "upstreams", run: () => context.upstreams.close() },
      { name: "bus", run: () => bus.drain() },
      { name: "engine watch", run: () => engineWatch.close() },
      { name: "keys of tokens", run: () => callerTokens.close() },
      { name: "redis", run: () => state.disconnect() },
      { name: "private listener", run: () => privateListener.close() },
    ],
  });
}

await runService({ name: "gateway", preflight, start });

import { createService, privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import { type Listeners, type ListenersOptions, openListeners } from "@postern/shared/http";
import { runService, type Service } from "@postern/shared/lifecycle";
import { createContext, type GatewayContext } from "./context.ts";
import type { GrpcListener } from "./grpc/listener.ts";
import { createGateway } from "./server.ts";
import { liveGatewaySettings } from "./settings.ts";

type OpenFront = Pick<Listeners, "addresses" | "close" | "renewCertificate">;

/** The front channel's own listeners, where it has any (design decision 24). */
async function openFront(
  addresses: ListenersOptions["addresses"],
  options: Omit<ListenersOptions, "addresses">,
): Promise<OpenFront> {
  if (addresses.length === 0)
    return { addresses, close: async () => undefined, renewCertificate: async () => undefined };
  return openListeners({ ...options, addresses });
}

/** gRPC is read from disk only where it is on: it is a tenth of all code. */
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
  const { addresses, frontAddresses, requestTimeoutMs, tls } = settings;
  const listeners = await openListeners({ addresses, handle, requestTimeoutMs, tls, logger });
  const frontListeners = await openFront(frontAddresses, {
    handle: channels.frontHandle(handle),
    requestTimeoutMs,
    // Browsers have no certificate to show.
    tls: tls === undefined ? undefined : { ...tls, caFile: undefined },
    logger,
  });
  const grpc = await openGrpc(context);
  health.phase = "ready";
  const own = { frontend_addresses: frontListeners.addresses, grpc_addresses: grpc.addresses };
  logger.info({ addresses: listeners.addresses, ...own }, "ready");
  return createService({
    config,
    base: context,
    health,
    apply: async (next) => {
      await Promise.all([listeners.renewCertificate(), frontListeners.renewCertificate()]);
      context.live.current = liveGatewaySettings(next, context.bearer);
      context.mailBackends.apply(context.live.current.healthChecks);
    },
    steps: [
      {
        name: "listeners",
        run: async () => void (await Promise.all([listeners.close(), frontListeners.close(), grpc.close()])),
      },
      { name: "routes", run: () => app.close() },
      { name: "mail backends", run: () => context.mailBackends.close() },
      { name: "bus", run: () => bus.drain() },
      { name: "engine watch", run: () => engineWatch.close() },
      { name: "keys of tokens", run: () => callerTokens.close() },
      { name: "redis", run: () => state.disconnect() },
      { name: "private listener", run: () => privateListener.close() },
    ],
  });
}

await runService(start);

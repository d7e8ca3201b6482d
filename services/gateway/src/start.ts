import { createService, privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import {
  type Listeners,
  type ListenersOptions,
  clientHeaderBytes as maxHeaderBytes,
  openListeners,
} from "@postern/shared/platform/http";
import type { Service, ServiceProgram, SharedByProcess } from "@postern/shared/platform/lifecycle";
import type { FastifyInstance } from "fastify";
import { createContext, type GatewayContext } from "./context.ts";
import { preflight } from "./preflight.ts";
import { createGateway } from "./server.ts";
import { liveGatewaySettings, type ProxiedListener } from "./settings.ts";

type OpenOther = Pick<Listeners, "addresses" | "close" | "prepareCertificate">;

/** Opens the listeners of a channel, if configured (ADR 0024). */
async function openOther(
  addresses: ListenersOptions["addresses"],
  options: Omit<ListenersOptions, "addresses">,
): Promise<OpenOther> {
  if (addresses.length === 0)
    return { addresses, close: async () => undefined, prepareCertificate: async () => () => undefined };
  return openListeners({ ...options, addresses });
}

/** gRPC is loaded from disk only if it is enabled: it is a tenth of all code. */
async function openGrpc(context: GatewayContext) {
  const { grpc } = context.settings;
  if (grpc === undefined) return { addresses: [], close: async (): Promise<void> => undefined };
  const { openGrpcListener } = await import("./grpc/listener.ts");
  return openGrpcListener(context, grpc);
}

/** All listeners of HTTP: the back channel's, and those of the other channels as configured. */
async function openHttp(context: GatewayContext, app: FastifyInstance) {
  const { settings, channels, listenerDomains, proxied, forward, logger } = context;
  const handle: typeof app.routing = (request, response) => app.routing(request, response);
  const { requestTimeoutMs, identifier, tls } = settings;
  const options = { requestTimeoutMs, identifier, maxHeaderBytes, logger };
  const accept = (listener: ProxiedListener) => (settings.proxyProtocol.has(listener) ? proxied?.accept : undefined);
  const backchannel = { ...options, accept: accept("backchannel") };
  const listeners = await openListeners({ ...backchannel, addresses: settings.addresses, handle, tls });
  const ofDomains: Listeners[] = [];
  for (const { addresses, defaultDomain } of settings.domainListeners)
    ofDomains.push(
      await openListeners({ ...backchannel, addresses, handle: listenerDomains.handle(defaultDomain, handle), tls }),
    );
  // Browsers have no certificate to present.
  const forBrowsers = { ...options, tls: tls === undefined ? undefined : { ...tls, caFile: undefined } };
  const frontHandle = channels.frontHandle(handle);
  const others = {
    front: await openOther(settings.frontAddresses, {
      ...forBrowsers,
      accept: accept("frontend"),
      handle: frontHandle,
    }),
    console: await openOther(settings.consoleAddresses, {
      ...forBrowsers,
      accept: accept("console"),
      handle: channels.consoleHandle(handle),
    }),
    certificate: await openOther(settings.certificateAddresses, {
      ...options,
      accept: accept("client_certificates"),
      handle: forward.certificates.listenerHandle(frontHandle),
      tls: settings.certificateTls,
    }),
  };
  return { listeners, ofDomains, others };
}

async function start(config: Config, shared: SharedByProcess): Promise<Service> {
  const context = await createContext(config, shared);
  const { logger, health, settings, bus, state, callerTokens, engineWatch } = context;
  const privateListener = await privateListenerAt(settings.privateAddress, context);
  const app = await createGateway(context);
  const { listeners, ofDomains, others } = await openHttp(context, app);
  const grpc = await openGrpc(context);
  const own = {
    domain_addresses: ofDomains.flatMap(({ addresses }) => addresses),
    frontend_addresses: others.front.addresses,
    console_addresses: others.console.addresses,
    certificate_addresses: others.certificate.addresses,
    grpc_addresses: grpc.addresses,
  };
  const all = [listeners, ...ofDomains, ...Object.values(others)];
  // It decides from now on. Load balancers also send requests that other services of this process answer.
  void shared.allStarted.then(() => {
    health.phase = "ready";
    logger.info({ addresses: listeners.addresses, ...own }, "ready");
  });
  return createService({
    config,
    base: context,
    health,
    bus,
    prepare: async (next) => {
      const live = liveGatewaySettings(next, callerTokens.check);
      const renewals = await Promise.all(all.map((each) => each.prepareCertificate()));
      return {
        use: () => {
          for (const renew of renewals) renew();
          context.live.current = live;
          context.counts.keepCallers(live.callerNames);
          context.upstreams.apply(live.healthChecks);
        },
      };
    },
    steps: [
      {
        name: "listeners",
        run: async () => {
          context.responseDelays.end();
          context.forward.streams.end();
          await Promise.all([...all, grpc].map((each) => each.close()));
        },
      },
      { name: "routes", run: () => app.close() },
      { name: "upstreams", run: () => context.upstreams.close() },
      { name: "public status", run: () => context.publicStatus?.close() },
      { name: "calls of other regions", run: () => context.regions?.calls.close() },
      { name: "bus", run: () => bus.drain() },
      { name: "engine watch", run: () => engineWatch.close() },
      { name: "keys of tokens", run: () => callerTokens.close() },
      { name: "redis", run: () => state.disconnect() },
      { name: "private listener", run: () => privateListener.close() },
    ],
  });
}

/** The service, for its own process and for one with others. */
export const gateway: ServiceProgram = { name: "gateway", preflight, start };

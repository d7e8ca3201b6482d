import { Server, type ServerOptions } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { pathTo } from "@postern/shared/contracts";
import { endsWithin } from "@postern/shared/platform/concurrency";
import { steadyClock } from "@postern/shared/platform/time";
import { createNeedOf } from "../callers/demands.ts";
import type { GatewayContext } from "../context.ts";
import { type AuthServiceDeps, createAuthService } from "./auth-service.ts";
import { createCheckCall } from "../callers/authenticate.ts";
import { listenerCredentials } from "./credentials.ts";
import type { GrpcSettings } from "./grpc-settings.ts";
import { createHealthService } from "./health-service.ts";
import { createListAllAccounts, maxResponseBytes } from "./list-all-accounts.ts";
import { loadProtocol } from "./protocol.ts";

export interface GrpcListener {
  /** Where it listens. */
  readonly addresses: readonly string[];
  /** Stops accepting calls, lets running calls end, and resolves when the last connection is closed. */
  close(): Promise<void>;
}

/** Answers in progress get the time limit of a decision plus this much. */
const closeMarginMs = 500;

function serverOptions({ maxRequestBytes }: GrpcSettings): ServerOptions {
  return {
    "grpc.max_receive_message_length": maxRequestBytes,
    "grpc.max_send_message_length": maxResponseBytes,
    "grpc.max_concurrent_streams": 1024,
    "grpc.keepalive_time_ms": 60_000,
    "grpc.keepalive_timeout_ms": 20_000,
  };
}

function authServiceDeps(context: GatewayContext): AuthServiceDeps {
  const {
    authRoute,
    live,
    settings,
    bearer,
    logger,
    audit,
    names,
    releasable,
    newSession,
    accountPages: pages,
  } = context;
  const { decide, metrics, log, gate, accountDelays, reportIgnoredAddress } = authRoute;
  const need = createNeedOf(settings.identifier)("POST", pathTo("authenticateJson"));
  return {
    checkCall: createCheckCall({
      check: () => live.current.checkCaller,
      takesTokens: bearer !== undefined,
      need,
      clock: steadyClock,
      timeoutMs: () => live.current.decisionTimeoutMs,
      counted: (outcome) => metrics.callerChecked(outcome),
      basicCounted: (name, outcome) => metrics.basicCallerChecked(name, outcome),
      logger,
      audit,
    }),
    baseScope: need.base,
    trusted: () => live.current.trustedProxies,
    decide,
    listAll: createListAllAccounts({ pages, metrics, log }),
    releasable,
    gate,
    accountDelays,
    clock: steadyClock,
    metrics,
    log,
    reportIgnoredAddress,
    names,
    newSession,
    tracer: context.tracer,
  };
}

async function bind(server: Server, { address, tls }: GrpcSettings): Promise<number> {
  const credentials = await listenerCredentials(tls);
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (err, port) => (err === null ? resolve(port) : reject(err)));
  });
}

/**
 * Opens `runtime.servers.grpc.authority` with AuthService, health and reflection, using the same components as the HTTP routes.
 */
export async function openGrpcListener(context: GatewayContext, own: GrpcSettings): Promise<GrpcListener> {
  const { settings, health, live } = context;
  const protocol = loadProtocol(settings.identifier);
  const server = new Server(serverOptions(own));
  const healthService = createHealthService(health, [protocol.authServiceName]);
  server.addService(protocol.authService, createAuthService(authServiceDeps(context)));
  server.addService(protocol.healthService, healthService.implementation);
  new ReflectionService(protocol.all).addToServer(server);
  const port = await bind(server, own);
  return {
    addresses: [own.address.replace(/:\d+$/, `:${port}`)],
    close: async () => {
      healthService.close();
      const ended = new Promise<void>((resolve) => {
        server.tryShutdown(() => resolve());
      });
      await endsWithin(ended, live.current.decisionTimeoutMs + closeMarginMs, { ref: false });
      server.forceShutdown();
    },
  };
}

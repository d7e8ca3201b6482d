import { setTimeout as delay } from "node:timers/promises";
import { Server, type ServerOptions } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { systemClock } from "@postern/shared/time";
import { createNeedOf } from "../caller-auth/scopes.ts";
import type { GatewayContext } from "../context.ts";
import { type AuthServiceDeps, createAuthService } from "./auth-service.ts";
import { createCheckCall } from "./check-call.ts";
import { listenerCredentials } from "./credentials.ts";
import type { GrpcSettings } from "./grpc-settings.ts";
import { createHealthService } from "./health-service.ts";
import { createListAllAccounts, maxResponseBytes } from "./list-all-accounts.ts";
import { loadProtocol } from "./protocol.ts";

export interface GrpcListener {
  /** Where it listens. */
  readonly addresses: readonly string[];
  /** Stops accepting, lets calls end, and resolves when the last connection is gone. */
  close(): Promise<void>;
}

/** Answers that are under way get the time of a decision and this much more. */
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
  const { decide, metrics, log, gate } = authRoute;
  const need = createNeedOf(settings.identifier)("POST", "/api/v1/auth");
  return {
    checkCall: createCheckCall({
      check: () => live.current.checkCaller,
      takesTokens: bearer !== undefined,
      need,
      clock: systemClock,
      timeoutMs: () => live.current.decisionTimeoutMs,
      counted: (outcome) => metrics.callerChecked(outcome),
      logger,
      audit,
    }),
    baseScope: need.base,
    trusted: () => live.current.trustedProxies,
    decide,
    listAll: createListAllAccounts({ pages, metrics, log }),
    releasable,
    gate,
    metrics,
    log,
    names,
    newSession,
  };
}

async function bind(server: Server, { address, tls }: GrpcSettings): Promise<number> {
  const credentials = await listenerCredentials(tls);
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (err, port) => (err === null ? resolve(port) : reject(err)));
  });
}

/** `runtime.servers.grpc.authority`: AuthService, health and reflection, with the parts that the HTTP routes have. */
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
      await Promise.race([ended, delay(live.current.decisionTimeoutMs + closeMarginMs, undefined, { ref: false })]);
      server.forceShutdown();
    },
  };
}

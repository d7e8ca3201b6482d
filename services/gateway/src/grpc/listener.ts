import type { SecureContextOptions } from "node:tls";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { endsWithin } from "@postern/shared/platform/concurrency";
import { readSecureContext } from "@postern/shared/platform/http";
import type { GatewayContext } from "../context.ts";
import type { GrpcSettings } from "../settings.ts";
import { createAuthService } from "./auth-service.ts";
import { createHealthService } from "./health-service.ts";
import { maxResponseBytes } from "./list-all-accounts.ts";
import { loadProtocol } from "./protocol.ts";

/** Answers in progress get the time limit of a decision plus this much. */
const closeMarginMs = 500;

/** The library's `createSsl` does not accept a minimum TLS version. */
class ListenerCredentials extends ServerCredentials {
  constructor(context: SecureContextOptions) {
    const requiresClientCert = context.ca !== undefined;
    const { minVersion } = context;
    super({ requestCert: requiresClientCert, rejectUnauthorized: requiresClientCert, minVersion }, context);
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/** @throws if a file of TLS cannot be read: a listener without its certificate does not open. */
async function bind(server: Server, { address, tls }: GrpcSettings): Promise<number> {
  const credentials =
    tls === undefined ? ServerCredentials.createInsecure() : new ListenerCredentials(await readSecureContext(tls));
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (err, port) => (err === null ? resolve(port) : reject(err)));
  });
}

/**
 * Opens `runtime.servers.grpc.authority` with AuthService, health and reflection, using the same components as the HTTP routes. `close`
 * stops accepting calls, lets running calls end, and resolves when the last connection is closed.
 */
export async function openGrpcListener(context: GatewayContext, own: GrpcSettings) {
  const { settings, health, live } = context;
  const protocol = loadProtocol(settings.identifier);
  const server = new Server({
    "grpc.max_receive_message_length": own.maxRequestBytes,
    "grpc.max_send_message_length": maxResponseBytes,
    "grpc.max_concurrent_streams": 1024,
    "grpc.keepalive_time_ms": 60_000,
    "grpc.keepalive_timeout_ms": 20_000,
  });
  const healthService = createHealthService(health, [protocol.authServiceName]);
  server.addService(protocol.authService, createAuthService(context, own.listener));
  server.addService(protocol.healthService, healthService.implementation);
  new ReflectionService(protocol.all).addToServer(server);
  const port = await bind(server, own);
  return {
    addresses: [own.address.replace(/:\d+$/, `:${port}`)],
    close: async (): Promise<void> => {
      healthService.close();
      const ended = new Promise<void>((resolve) => {
        server.tryShutdown(() => resolve());
      });
      await endsWithin(ended, live.current.decisionTimeoutMs + closeMarginMs, { ref: false });
      server.forceShutdown();
    },
  };
}

import { randomBytes } from "node:crypto";
import type { Base } from "@postern/shared/assembly";
import type { Backend } from "../backend.ts";
import { remoteFaults, type Transport } from "./exchange.ts";
import type { HttpBackendDeps } from "./http-client.ts";
import type { HttpBackendSettings } from "./http-settings.ts";

/** What connects to the servers of a backend. A site without gRPC does not load its library. */
async function transportOf(settings: HttpBackendSettings): Promise<(url: URL) => Transport> {
  if (settings.isGrpc) {
    const { createGrpcTransport } = await import("./grpc-transport.ts");
    return (url) => createGrpcTransport(url, settings);
  }
  const { createHttpTransport } = await import("./http-transport.ts");
  return (url) => createHttpTransport(url, settings);
}

/** Loads the clients only here, so that the engine of a site without such a backend does not. */
export async function makeHttpBackend(
  settings: HttpBackendSettings,
  deps: Omit<HttpBackendDeps, "transport">,
): Promise<Backend> {
  const { createHttpBackend } = await import("./http-backend.ts");
  return createHttpBackend(settings, { ...deps, transport: await transportOf(settings) });
}

/** Creates the backends of an engine that ask other servers. All share the engine's identifier and counter. */
export function createHttpBackends({ logger, metrics, metricsPrefix, tracer }: Base) {
  const engine = randomBytes(6).toString("hex");
  const count = metrics.counter({
    name: `${metricsPrefix}_remote_backend_faults_total`,
    help: "Requests to other servers (auth.backends.http) without a decision, by fault",
    labels: { fault: remoteFaults },
  });
  return (settings: HttpBackendSettings): Promise<Backend> =>
    makeHttpBackend(settings, {
      log: logger,
      engine,
      onFault: (fault) => count({ fault }).inc(),
      traceparent: tracer && (() => tracer.active()?.traceparent),
    });
}

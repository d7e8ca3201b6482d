import { randomBytes } from "node:crypto";
import type { Base } from "@postern/shared/assembly";
import type { Backend } from "../backend.ts";
import type { HttpBackendSettings } from "./http-settings.ts";
import { remoteFaults } from "./remote-fault.ts";

/** Creates the backends of an engine that ask other servers. All share the engine's identifier and counter. */
export function createHttpBackends({ logger, metrics, metricsPrefix, tracer }: Base) {
  const engine = randomBytes(6).toString("hex");
  const count = metrics.counter({
    name: `${metricsPrefix}_remote_backend_faults_total`,
    help: "Requests to other servers (auth.backends.http) without a decision, by fault",
    labels: { fault: remoteFaults },
  });
  return async (settings: HttpBackendSettings): Promise<Backend> => {
    // Loaded only here, so that the engine of a site without such a backend does not load an HTTP client.
    const { createHttpBackend } = await import("./http-backend.ts");
    return createHttpBackend(settings, {
      log: logger,
      engine,
      onFault: (fault) => count({ fault }).inc(),
      traceparent: tracer && (() => tracer.active()?.traceparent),
    });
  };
}

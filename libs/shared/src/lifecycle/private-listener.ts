import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Metrics } from "../metrics/registry.ts";
import type { HostPort } from "../net/host-port.ts";
import type { Health } from "./health.ts";

export interface PrivateListenerDeps {
  readonly address: HostPort;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** Where probes and Prometheus look; it outlives everything else of the service, so that draining can be seen. */
export interface PrivateListener {
  close(): Promise<void>;
}

type Answer = { status: number; type: string; body: string };

async function answer(path: string, { health, metrics }: PrivateListenerDeps): Promise<Answer> {
  switch (path) {
    case "/healthz":
      // Alive says nothing of dependencies: restarting us would not bring them back.
      return { status: 200, type: "application/json", body: JSON.stringify({ status: "up" }) };
    case "/readyz": {
      const report = await health.report();
      const ready = report.status === "up" || report.status === "degraded";
      return { status: ready ? 200 : 503, type: "application/json", body: JSON.stringify(report) };
    }
    case "/metrics":
      return { status: 200, type: metrics.contentType, body: await metrics.expose() };
    default:
      return { status: 404, type: "text/plain", body: "" };
  }
}

function reply(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(body) }).end(body);
}

export async function openPrivateListener(deps: PrivateListenerDeps): Promise<PrivateListener> {
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.method === "GET" ? (request.url ?? "").split("?", 1)[0] : undefined;
    answer(path ?? "", deps).then(
      (result) => reply(response, result),
      () => reply(response, { status: 500, type: "text/plain", body: "" }),
    );
  };
  const server = createServer({ requestTimeout: 5000 }, handle);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(deps.address, () => resolve());
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

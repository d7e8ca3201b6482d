import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { refuseTunnels, withOriginForm } from "../http/request-target.ts";
import { answerUnreadable } from "../http/unreadable-request.ts";
import type { Metrics } from "../metrics/registry.ts";
import type { HostPort } from "../net/host-port.ts";
import type { Health } from "./health.ts";

interface PrivateListenerDeps {
  readonly address: HostPort;
  readonly health: Health;
  readonly metrics: Metrics;
  /** `runtime.naming.identifier`. */
  readonly identifier: string;
}

export type PrivateListener = Awaited<ReturnType<typeof openPrivateListener>>;

type Answer = { status: number; type: string; body: string };

const paths: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);
const json = "application/json";

async function answer(request: IncomingMessage, { health, metrics }: PrivateListenerDeps): Promise<Answer> {
  const { method, url = "", headers } = request;
  const [path = ""] = url.split("?", 1);
  if (paths.has(path) && method !== "GET" && method !== "HEAD")
    return { status: 405, type: json, body: JSON.stringify({ error: "method not allowed" }) };
  switch (path) {
    case "/healthz":
      // Liveness ignores dependencies, because restarting this process would not restore them.
      return { status: 200, type: json, body: JSON.stringify({ status: "up" }) };
    case "/readyz": {
      const report = await health.report();
      const ready = report.status === "up" || report.status === "degraded";
      return { status: ready ? 200 : 503, type: json, body: JSON.stringify(report) };
    }
    case "/metrics":
      return { status: 200, ...(await metrics.exposeTo(headers.accept)) };
    default:
      return { status: 404, type: json, body: JSON.stringify({ error: "not found" }) };
  }
}

function reply(response: ServerResponse, { status, type, body }: Answer): void {
  const allow = status === 405 ? { Allow: "GET, HEAD" } : {};
  response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(body), ...allow }).end(body);
}

/** Serves health checks and metrics. It stops after everything else, so that draining can be observed. */
export async function openPrivateListener(deps: PrivateListenerDeps) {
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, deps).then(
      (result) => reply(response, result),
      () => reply(response, { status: 500, type: json, body: JSON.stringify({ error: "internal error" }) }),
    );
  };
  const server = createServer({ requestTimeout: 5000 }, withOriginForm(handle, deps.identifier));
  refuseTunnels(server, deps.identifier);
  server.on("clientError", (error, socket) => answerUnreadable(error, socket, deps.identifier));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(deps.address, () => resolve());
  });
  return {
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";

export interface CapturedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly bodyBytes: number;
  readonly bodyDigest: string;
}

/** An HTTP server in place of a service. It returns 200 to every request and records the requests. */
export interface CaptureServer extends AsyncDisposable {
  readonly port: number;
  readonly requests: readonly CapturedRequest[];
}

export async function startCaptureServer(port: number, status = 200): Promise<CaptureServer> {
  const requests: CapturedRequest[] = [];
  const server = createServer((request, response) => {
    const digest = createHash("sha256");
    let bodyBytes = 0;
    request.on("data", (chunk: Buffer) => {
      bodyBytes += chunk.length;
      digest.update(chunk);
    });
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      requests.push({ method, url, headers, bodyBytes, bodyDigest: digest.digest("hex") });
      response.writeHead(status, { "Content-Type": "text/plain", "Retry-After": "1" }).end(`saw ${bodyBytes}`);
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

import { once } from "node:events";
import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";

export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A receiver of OTLP over HTTP in JSON. */
export interface TraceReceiver extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Every request as it arrived: its path, headers and body. */
  readonly texts: readonly string[];
  /** From now on it takes requests and never answers. */
  hang(): void;
}

type Unknown = Readonly<Record<string, unknown>>;

function list(value: unknown): readonly Unknown[] {
  return Array.isArray(value) ? value.map((each: unknown) => Object(each)) : [];
}

function attributesOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(list(value).map(({ key, value: held }) => [String(key), Object.values(Object(held))[0]]));
}

function spansOf(text: string): readonly ReceivedSpan[] {
  return list(Object(JSON.parse(text)).resourceSpans).flatMap(({ resource, scopeSpans }) => {
    const { "service.name": service } = attributesOf(Object(resource).attributes);
    return list(scopeSpans)
      .flatMap(({ spans }) => list(spans))
      .map(({ name, traceId, spanId, parentSpanId = "", attributes }) => ({
        service: String(service),
        name: String(name),
        traceId: String(traceId),
        spanId: String(spanId),
        parentSpanId: String(parentSpanId),
        attributes: attributesOf(attributes),
      }));
  });
}

export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  const texts: string[] = [];
  let hangs = false;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      const bytes = Buffer.concat(chunks);
      const text = (request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString("utf8");
      texts.push(`${request.url} ${JSON.stringify(request.headers)} ${text}`);
      spans.push(...spansOf(text));
      if (!hangs) response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = Object(server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    texts,
    hang: () => {
      hangs = true;
    },
    [Symbol.asyncDispose]: async () => {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

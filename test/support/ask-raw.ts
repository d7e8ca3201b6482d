import { once } from "node:events";
import { connect } from "node:net";

export type Header = readonly [name: string, value: string];

/** A response with its header names unchanged and in order. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string;
  /** The header with exactly this spelling, or undefined. */
  readonly header: (name: string) => string | undefined;
}

export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly version?: "1.0" | "1.1";
  /** Sent unchanged, including repeated names. */
  readonly headers?: readonly Header[];
  readonly body?: Buffer | string;
}

function parseAnswer(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(": ");
    return [line.slice(0, colon), line.slice(colon + 2)] as const;
  });
  return {
    status: Number(statusLine.split(" ")[1]),
    headers,
    body: bytes.subarray(end + 4).toString("utf8"),
    header: (name) => headers.find(([found]) => found === name)?.[1],
  };
}

/** Sends one request on a new connection, which ends with the response. Header values are UTF-8. */
export async function askRaw(url: string, request: RawRequest): Promise<RawAnswer> {
  const { method = "POST", path, version = "1.1", headers = [], body = "" } = request;
  const { hostname, port } = new URL(url);
  const bytes = Buffer.from(body);
  const length = bytes.length === 0 && method === "GET" ? [] : [["Content-Length", String(bytes.length)] as const];
  const lines = [["Host", "gateway.example.test"] as const, ...headers, ...length, ["Connection", "close"] as const];
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write(`${method} ${path} HTTP/${version}\r\n${head}\r\n`);
  socket.write(bytes);
  await once(socket, "close");
  return parseAnswer(Buffer.concat(chunks));
}

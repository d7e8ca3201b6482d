import { openRaw, statusesIn } from "../../support/raw-http.ts";

/** A response as received; header names in lower case. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends bytes and reads the one response; the bytes should contain `Connection: close`. */
export async function askRaw(port: number, bytes: string): Promise<RawAnswer> {
  const connection = await openRaw(port);
  connection.send(bytes);
  const text = await connection.closed();
  const [head = "", body = ""] = text.split("\r\n\r\n", 2);
  const lines = head.split("\r\n").slice(1);
  const headers = lines
    .map((line) => line.split(": ", 2))
    .map(([name = "", value = ""]) => [name.toLowerCase(), value]);
  return { status: statusesIn(text)[0] ?? 0, headers: Object.fromEntries(headers), body };
}

export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function requestOf({ method = "GET", path, headers = {}, body }: RawRequest): string {
  const all = {
    Host: "x",
    Connection: "close",
    ...headers,
    ...(body !== undefined && { "Content-Length": body.length }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body ?? ""}`;
}

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeCertificate } from "../../support/certificates.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

let plain: Stack;
let secure: Stack;
let folder: Awaited<ReturnType<typeof scratchFolder>>;

const untrusted = "127.0.0.2";

beforeAll(async () => {
  folder = await scratchFolder();
  await makeCertificate(folder.path, "server", "/CN=gateway.example.test");
  const tls = { enabled: true, cert: join(folder.path, "server.crt"), key: join(folder.path, "server.key") };
  const http = { haproxy_v2: true, trusted_proxies: ["127.0.0.1"], request_timeout: "2s" };
  [plain, secure] = await Promise.all([
    startStack({ settings: { runtime: { servers: { http } } } }),
    startStack({ settings: { runtime: { servers: { http: { ...http, tls } } } } }),
  ]);
});

afterAll(async () => {
  await Promise.all([plain[Symbol.asyncDispose](), secure[Symbol.asyncDispose]()]);
  await folder[Symbol.asyncDispose]();
});

const line = (from: string): Buffer => Buffer.from(`PROXY TCP4 ${from} 198.51.100.1 40000 9080\r\n`);

/** A header of version 2 whose proxy speaks for itself, as in health checks. */
const local = Buffer.from("0d0a0d0a000d0a515549540a20000000", "hex");

let count = 0;

function lookup(): { readonly username: string; readonly request: Buffer } {
  count += 1;
  const username = `proxied-${count}`;
  const body = JSON.stringify({ username, protocol: "imap" });
  const head = [
    "POST /api/v1/auth/json?mode=no-auth HTTP/1.1",
    "Host: gateway.example.test",
    "Connection: close",
    `Authorization: ${basicAuth}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  return { username, request: Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`) };
}

async function open(stack: Pick<Stack, "httpPort">, localAddress = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port: stack.httpPort, localAddress });
  socket.setNoDelay(true);
  await once(socket, "connect");
  return socket;
}

/** Sends chunks one after the other, each in a packet of its own, and returns everything that the gateway answers. */
async function exchange(socket: Socket, chunks: readonly Buffer[]): Promise<string> {
  const answer = text(socket).catch(() => "");
  for (const chunk of chunks) {
    if (!socket.writable) break;
    await new Promise<void>((resolve) => socket.write(chunk, () => setImmediate(resolve)));
  }
  return answer;
}

/** Client address and port of the line that the gateway logged about a user name. */
async function logged(stack: Stack, username: string): Promise<unknown> {
  const found = await poll("the log line of the decision", () =>
    stack.gateway
      .output()
      .split("\n")
      .find((entry) => entry.includes(`"${username}"`)),
  );
  return JSON.parse(found).client_ip;
}

test.each([
  ["in one packet with the request", (header: Buffer, request: Buffer) => [Buffer.concat([header, request])]],
  ["in a packet of its own", (header: Buffer, request: Buffer) => [header, request]],
  ["in single bytes", (header: Buffer, request: Buffer) => [...Array.from(header, (byte) => Buffer.of(byte)), request]],
])("the client address comes from a header that arrives %s", async (_how, chunksOf) => {
  const { username, request } = lookup();
  const answer = await exchange(await open(plain), chunksOf(line("198.51.100.7"), request));
  expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  expect(await logged(plain, username)).toBe("198.51.100.7");
});

test("the header applies to all requests of its connection and to no other connection", async () => {
  const first = lookup();
  const second = lookup();
  const keptAlive = Buffer.from(first.request.toString().replace("Connection: close\r\n", ""));
  await exchange(await open(plain), [line("198.51.100.8"), keptAlive, second.request]);
  const other = lookup();
  await exchange(await open(plain), [line("198.51.100.9"), other.request]);
  expect(await Promise.all([first, second, other].map(({ username }) => logged(plain, username)))).toEqual([
    "198.51.100.8",
    "198.51.100.8",
    "198.51.100.9",
  ]);
});

test("a client behind the proxy cannot name another address", async () => {
  const { username, request } = lookup();
  const forged = Buffer.from(request.toString().replace("Connection", "X-Forwarded-For: 203.0.113.1\r\nConnection"));
  await exchange(await open(plain), [line("198.51.100.7"), forged]);
  expect(await logged(plain, username)).toBe("198.51.100.7");
});

test("the proxy's own health check is answered", async () => {
  const check = Buffer.from("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  expect(await exchange(await open(plain), [local, check])).toMatch(/^HTTP\/1\.1 200 /);
});

test("the header comes before TLS", async () => {
  const { username, request } = lookup();
  const socket = await open(secure);
  socket.write(line("198.51.100.10"));
  const session = connectTls({ socket, rejectUnauthorized: false });
  await once(session, "secureConnect");
  expect(await exchange(session, [request])).toMatch(/^HTTP\/1\.1 403 /);
  expect(await logged(secure, username)).toBe("198.51.100.10");
});

test.each([
  ["untrusted", untrusted, line("198.51.100.7")],
  ["malformed", "127.0.0.1", Buffer.alloc(0)],
  ["malformed", "127.0.0.1", Buffer.from("PROXY TCP4 nonsense\r\n")],
] as const)("a connection with %s header from %s is closed, counted and logged", async (reason, from, header) => {
  const rejected = async (): Promise<number> => {
    const series = `service_proxy_protocol_rejected_total{reason="${reason}"} `;
    const entry = (await plain.gateway.metrics()).split("\n").find((text) => text.startsWith(series));
    return Number(entry?.slice(series.length));
  };
  const before = await rejected();
  const { request } = lookup();
  expect(await exchange(await open(plain, from), [header, request])).toBe("");
  expect((await rejected()) - before).toBe(1);
  const reasonLogged =
    reason === "untrusted" ? "not a trusted proxy was closed" : "without a valid PROXY protocol header was closed";
  await poll("the log line", () => plain.gateway.output().includes(reasonLogged));
});

test("haproxy_v2_listeners names the listeners that require the header", async () => {
  const frontPort = await freePort();
  const http = {
    haproxy_v2: true,
    haproxy_v2_listeners: ["frontend"],
    frontend_address: [`127.0.0.1:${frontPort}`],
    trusted_proxies: ["127.0.0.1"],
  };
  await using stack = await startStack({ settings: { runtime: { servers: { http } } } });
  const { username, request } = lookup();
  expect(await exchange(await open(stack), [request])).toMatch(/^HTTP\/1\.1 403 /);
  expect(await logged(stack, username)).toBe("127.0.0.1");
  const ping = Buffer.from("GET /ping HTTP/1.1\r\nHost: login.example.test\r\nConnection: close\r\n\r\n");
  const front = { httpPort: frontPort };
  expect(await exchange(await open(front), [ping])).toBe("");
  expect(await exchange(await open(front), [line("198.51.100.8"), ping])).toMatch(/^HTTP\/1\.1 200 /);
});

test("a connection whose header never arrives is closed, and does not delay others", async () => {
  const waiting = await open(plain);
  waiting.write("PROX");
  const { request } = lookup();
  expect(await exchange(await open(plain), [line("198.51.100.7"), request])).toMatch(/^HTTP\/1\.1 403 /);
  await once(waiting.resume(), "close");
  await poll("the log line", () => plain.gateway.output().includes("did not arrive in time was closed"));
});

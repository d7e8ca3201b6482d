import { readFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { probeMailServer } from "../../../services/gateway/src/upstream-health/probe.ts";
import type { MailTarget } from "../../../services/gateway/src/upstream-health/target.ts";
import type { RawAnswer } from "../../support/ask-raw.ts";
import { makeCertificate } from "../../support/certificates.ts";
import { askDialect } from "../../support/dialects.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { startTcpServer, type TcpServer } from "../../support/tcp-server.ts";

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const probe = async (serve: (socket: Socket) => void, target: Partial<MailTarget>): Promise<string> => {
  await using server = await startTcpServer(serve);
  const whole: MailTarget = {
    protocol: "imap",
    host: "127.0.0.1",
    port: server.port,
    tls: false,
    startTls: false,
    skipVerify: false,
    proxyHeader: false,
    requestUri: "/",
    ...target,
  };
  return await probeMailServer(whole, 400);
};
const greeting = (text: string) => (socket: Socket) => void socket.write(text);
/** Answers each chunk by the first pattern that matches. */
const dialogue =
  (first: string, answers: readonly (readonly [RegExp, string])[]) =>
  (socket: Socket): void => {
    socket.write(first);
    socket.on("data", (chunk: Buffer) => {
      socket.write(answers.find(([pattern]) => pattern.test(chunk.toString()))?.[1] ?? "");
    });
  };
const cutting = (socket: Socket): void => {
  socket.write("220 x\r\n");
  socket.once("data", () => socket.destroy());
};
const listen = (): Promise<TcpServer> => startTcpServer((socket) => void socket.write("* OK ready\r\n"));
const settings = (fallback: string, own: readonly number[]) => ({
  auth: {
    upstreams: { imap: { address: fallback, port: 1143 } },
    services: {
      backend_health_checks: {
        interval: "100ms",
        timeout: "300ms",
        targets: own.map((port) => ({ protocol: "imap", host: "127.0.0.1", port })),
      },
    },
  },
});

describe("a probe of a mail server", () => {
  let folder: string;
  beforeAll(async () => {
    folder = stack.use(await scratchFolder()).path;
    await makeCertificate(folder, "server", "/CN=localhost");
  });

  test.each([
    ["imap", "* OK ready\r\n"],
    ["imap", "* PREAUTH hello\r\n"],
    ["pop3", "+OK <1@x>\r\n"],
    ["smtp", "220-mail.example.test\r\n220 ESMTP\r\n"],
    ["lmtp", "220 LMTP\r\n"],
    ["sieve", '"IMPLEMENTATION" "x"\r\n"SASL" "PLAIN"\r\nOK "ready"\r\n'],
  ] as const)("finds %s available after the greeting %j", async (protocol, text) => {
    expect(await probe(greeting(text), { protocol })).toBe("127.0.0.1");
  });

  test.each([
    ["imap", "* BYE too many connections\r\n"],
    ["pop3", "-ERR [SYS/TEMP] later\r\n"],
    ["smtp", "421 4.3.2 shutting down\r\n"],
    ["smtp", "220-never ends\r\n"],
    ["sieve", 'BYE "no"\r\n'],
    ["http", "HTTP/1.1 503 Service Unavailable\r\n\r\n"],
    ["imap", ""],
    ["imap", "x".repeat(40_000)],
  ] as const)("finds %s unavailable after the greeting %j", async (protocol, text) => {
    await expect(probe(greeting(text), { protocol })).rejects.toThrow(/answered|no greeting|more than/);
  });

  test("resolves a name and returns the address", async () => {
    expect(await probe(greeting("* OK\r\n"), { host: "localhost" })).toMatch(/^(?:127\.0\.0\.1|::1)$/);
  });

  test("requests the path by HTTP", async () => {
    const serve = dialogue("", [[/^GET \/alive HTTP\/1\.1\r\n/, "HTTP/1.1 204 No Content\r\n\r\n"]]);
    expect(await probe(serve, { protocol: "http", requestUri: "/alive" })).toBe("127.0.0.1");
  });

  test("begins with a PROXY header if configured", async () => {
    let first: Buffer = Buffer.alloc(0);
    const serve = (socket: Socket): void => {
      socket.once("data", (chunk: Buffer) => {
        first = chunk;
        socket.write("* OK\r\n");
      });
    };
    await probe(serve, { proxyHeader: true });
    expect(first.subarray(0, 16).toString("hex")).toBe("0d0a0d0a000d0a515549540a20000000");
  });

  test("fails if the server refuses or interrupts StartTLS, or sends data after accepting it", async () => {
    const refusing = dialogue("* OK\r\n", [[/STARTTLS/, "a NO not today\r\n"]]);
    await expect(probe(refusing, { startTls: true })).rejects.toThrow(/not today/);
    const injecting = dialogue("+OK\r\n", [[/STLS/, "+OK begin\r\n+OK injected\r\n"]]);
    await expect(probe(injecting, { protocol: "pop3", startTls: true })).rejects.toThrow(
      /data before the TLS handshake/,
    );
    await expect(probe(cutting, { protocol: "smtp", startTls: true })).rejects.toThrow(/closed|ECONNRESET/);
  });

  test("speaks TLS from the first byte and after StartTLS, and rejects an unknown certificate", async () => {
    const [key, cert] = await Promise.all(["server.key", "server.crt"].map((name) => readFile(join(folder, name))));
    const secure = (socket: Socket): TLSSocket => {
      const tls = new TLSSocket(socket, { isServer: true, key, cert });
      tls.on("error", () => undefined);
      return tls;
    };
    const implicit = (socket: Socket): void => void secure(socket).write("* OK\r\n");
    expect(await probe(implicit, { tls: true, skipVerify: true })).toBe("127.0.0.1");
    await expect(probe(implicit, { tls: true })).rejects.toThrow(/self-signed/);
    const upgraded = (socket: Socket): void => {
      socket.write("220 x\r\n");
      socket.once("data", () => {
        socket.write("250-x\r\n250 STARTTLS\r\n");
        socket.once("data", () => {
          socket.write("220 go\r\n", () => void secure(socket));
        });
      });
    };
    expect(await probe(upgraded, { protocol: "smtp", startTls: true, skipVerify: true })).toBe("127.0.0.1");
  });
});

describe("Auth-Server names an available mail server", () => {
  let servers: TcpServer[];
  let ports: number[];
  let postern: Stack;

  beforeAll(async () => {
    servers = await Promise.all([listen(), listen()]);
    ports = servers.map(({ port }) => port);
    postern = stack.use(await startStack({ settings: settings("", ports) }));
  });

  const login = (): Promise<RawAnswer> => askDialect(postern.url, "proxy");
  const namedPort = async (): Promise<number> => Number((await login()).header("Auth-Port"));

  test("directs an account to one server, to the other when the first is unavailable, and to no server when both are", async () => {
    const first = await namedPort();
    expect(ports).toContain(first);
    for (let attempt = 0; attempt < 5; attempt += 1) expect(await namedPort()).toBe(first);
    const index = ports.indexOf(first);
    await servers[index]?.[Symbol.asyncDispose]();
    const other = ports[1 - index];
    await poll("the other server to be named", async () => (await namedPort()) === other);
    await servers[1 - index]?.[Symbol.asyncDispose]();
    await poll("no server to be named", async () => (await login()).header("Auth-Server") === undefined);
    const answer = await login();
    expect(answer.status).toBe(200);
    expect(answer.header("Auth-Status")).not.toMatch(/OK|FAIL/);
    const metrics = await (await fetch(`${postern.url}/metrics`, { headers: { authorization: basicAuth } })).text();
    expect(metrics).toMatch(/service_mail_backends_down 2/);
    expect(metrics).toMatch(/service_mail_backend_checks_total\{protocol="imap",outcome="down"\} [1-9]/);
  });

  test("names a server again when it is available", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.write("* OK ready\r\n");
    });
    const [port = 0] = ports;
    await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
    await expect.poll(namedPort).toBe(port);
    server.close();
  });

  test("a reload applies other servers, and the fixed upstream is the last resort", async () => {
    await postern.reloadGateway(settings("192.0.2.7", [await freePort()]));
    await expect.poll(async () => (await login()).header("Auth-Server")).toBe("192.0.2.7");
  });
});

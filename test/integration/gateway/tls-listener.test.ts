import { once } from "node:events";
import { copyFile, readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { TLSSocket } from "node:tls";
import { poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeCertificate, makeSignedCertificate } from "../../support/certificates.ts";
import { sendRaw } from "../../support/raw-http.ts";
import { type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;
let folder: Awaited<ReturnType<typeof scratchFolder>>;
const file = (name: string): string => join(folder.path, name);

beforeAll(async () => {
  folder = await scratchFolder();
  await makeCertificate(folder.path, "first", "/CN=first.example.test");
  await makeCertificate(folder.path, "second", "/CN=second.example.test");
  await makeCertificate(folder.path, "authority", "/CN=authority.example.test");
  await makeSignedCertificate(folder.path, { name: "client", subject: "/CN=mail.example.test", issuer: "authority" });
  await copyFile(file("first.crt"), file("server.crt"));
  await copyFile(file("first.key"), file("server.key"));
  const tls = { enabled: true, cert: file("server.crt"), key: file("server.key"), ca_file: file("authority.crt") };
  stack = await startStack({ settings: { runtime: { servers: { http: { tls } } } } });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** The body of /ping and the name in the server's certificate, over a new connection. */
async function ping(options: RequestOptions): Promise<{ body: string; server: string }> {
  const agent = new Agent({ keepAlive: false });
  const url = `https://127.0.0.1:${stack.httpPort}/ping`;
  const clientRequest = request(url, { ...options, agent, rejectUnauthorized: false });
  clientRequest.end();
  const [response]: IncomingMessage[] = await once(clientRequest, "response");
  if (response === undefined || !(response.socket instanceof TLSSocket)) throw new Error("no response over TLS");
  const server = String(response.socket.getPeerCertificate().subject.CN);
  return { body: await text(response), server };
}

async function clientCertificate(): Promise<RequestOptions> {
  return { cert: await readFile(file("client.crt")), key: await readFile(file("client.key")) };
}

test("serves a client with a certificate of the authority", async () => {
  expect(await ping(await clientCertificate())).toEqual({ body: "pong", server: "first.example.test" });
});

test("rejects a client without a certificate, with plain HTTP or with an old TLS version", async () => {
  await expect(ping({})).rejects.toThrow(/certificate required|socket|ECONNRESET|alert/i);
  await expect(fetch(`http://127.0.0.1:${stack.httpPort}/ping`)).rejects.toThrow(/fetch failed/);
  const plain = await sendRaw(stack.httpPort, ["GET /ping HTTP/1.1\r\nHost: x\r\n\r\n"]);
  expect(plain.text).not.toContain("HTTP/1.1");
  await expect(ping({ ...(await clientCertificate()), maxVersion: "TLSv1.1", minVersion: "TLSv1" })).rejects.toThrow(
    /protocol|version|alert|handshake/i,
  );
});

test("TLS 1.2 is limited to the suites that RFC 9325 recommends, and TLS 1.3 offers a hybrid key exchange", async () => {
  const certificate = await clientCertificate();
  const tls12 = { ...certificate, maxVersion: "TLSv1.2" } as const;
  expect((await ping({ ...tls12, ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256" })).body).toBe("pong");
  for (const ciphers of ["ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES256-SHA", "ECDHE-ECDSA-CHACHA20-POLY1305"]) {
    await expect(ping({ ...tls12, ciphers })).rejects.toThrow(/handshake|alert|ECONNRESET/i);
  }
  const tls13 = { ...certificate, minVersion: "TLSv1.3" } as const;
  for (const ecdhCurve of ["X25519MLKEM768", "X25519", "P-256", "P-384"]) {
    expect((await ping({ ...tls13, ecdhCurve })).body).toBe("pong");
  }
  await expect(ping({ ...tls13, ecdhCurve: "P-521" })).rejects.toThrow(/handshake|alert|ECONNRESET/i);
});

test("SIGHUP applies a renewed certificate, and keeps the old one if the new one cannot be read", async () => {
  const certificate = await clientCertificate();
  await copyFile(file("second.crt"), file("server.crt"));
  stack.gateway.signal("SIGHUP");
  await poll("the reload to be rejected", () => stack.gateway.output().includes("configuration refused"));
  expect((await ping(certificate)).server).toBe("first.example.test");
  await copyFile(file("second.key"), file("server.key"));
  stack.gateway.signal("SIGHUP");
  await poll("the certificate to be renewed", async () => (await ping(certificate)).server === "second.example.test");
});

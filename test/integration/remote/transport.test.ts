import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { loadConfig } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { steadyClock } from "@postern/shared/platform/time";
import { poll, scratchFolder } from "@postern/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Backend } from "../../../services/auth-engine/src/backends/backend.ts";
import { createHttpBackend } from "../../../services/auth-engine/src/backends/http/http-backend.ts";
import { httpBackendSettings } from "../../../services/auth-engine/src/backends/http/http-settings.ts";
import { createHttpTransport } from "../../../services/auth-engine/src/backends/http/http-transport.ts";
import { makeCertificate, makeSignedCertificate } from "../../support/certificates.ts";

const owned = new AsyncDisposableStack();
let folder: string;
let server: Server;
let port: number;
let created: Backend[] = [];
let seen: { path: string; authorization: string | undefined; body: string; isAuthorized: boolean }[] = [];
/** The token that the server accepts; each request at its token endpoint makes the next one. */
let issued = 0;
let accepted: string | undefined;
const held: ServerResponse[] = [];
let faults: string[] = [];

const decision = JSON.stringify({ ok: true, account_field: "account", attributes: { account: ["alice"] } });

function answerToken(response: ServerResponse): void {
  issued += 1;
  accepted = `Bearer token-${issued}`;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ access_token: `token-${issued}`, token_type: "Bearer", expires_in: 3600 }));
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url: path = "", headers, socket } = request;
  const body = await text(request);
  const { authorization } = headers;
  seen.push({ path, authorization, body, isAuthorized: "authorized" in socket && socket.authorized === true });
  if (path === "/token") answerToken(response);
  else if (accepted !== undefined && authorization !== accepted) response.writeHead(401).end("{}");
  else if (body.includes("held@")) held.push(response);
  else response.writeHead(200, { "auth-status": "OK", "content-type": "application/json" }).end(decision);
}

beforeAll(async () => {
  const scratch = owned.use(await scratchFolder());
  folder = scratch.path;
  await makeCertificate(folder, "central", "/CN=central.internal");
  await makeSignedCertificate(folder, { name: "edge", subject: "/CN=edge", issuer: "central" });
  const [cert, key] = await Promise.all(["crt", "key"].map((suffix) => readFile(join(folder, `central.${suffix}`))));
  server = createServer({ cert, key, ca: cert, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});

beforeEach(() => {
  [seen, faults, issued, accepted] = [[], [], 0, undefined];
});

afterEach(async () => {
  await Promise.all(created.map((backend) => backend.close()));
  created = [];
  for (const response of held.splice(0)) response.destroy();
});

afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await owned.disposeAsync();
});

function backendOf(pool: object): Backend {
  const tls = { tls_ca_cert: join(folder, "central.crt"), tls_server_name: "central.internal" };
  const http = { default: { url: [`https://127.0.0.1:${port}/auth`], request_timeout: "30s", ...tls, ...pool } };
  const loaded = loadConfig({
    text: JSON.stringify({ auth: { backends: { order: ["http"], http } } }),
    env: {},
    readFile: () => "",
  });
  const settings = loaded.ok ? httpBackendSettings(loaded.config, "http") : undefined;
  if (settings === undefined) throw new Error(`not a configuration: ${JSON.stringify(loaded)}`);
  const log = { warn: () => undefined, info: () => undefined };
  const backend = createHttpBackend(settings, {
    log,
    transport: (url) => createHttpTransport(url, settings),
    engine: "0123456789ab",
    onFault: (kind) => void faults.push(kind),
    traceparent: () => "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  });
  created.push(backend);
  return backend;
}

const context = (ms = 30_000) => ({ deadline: steadyClock.now() + ms, signal: new AbortController().signal });
const verify = (backend: Backend, username = "alice", ms?: number) =>
  backend.verify({ username, protocol: "imap" }, new Secret("secret"), context(ms));

const tokens = () => seen.filter(({ path }) => path === "/token");

const oauth = () => ({
  oauth: { token_url: `https://127.0.0.1:${port}/token`, client_id: "edge:1", client_secret: "s%1", scope: "a:auth b" },
});

test("parallel requests share one access token, and a revoked one is replaced", async () => {
  const backend = backendOf(oauth());
  const both = await Promise.all([verify(backend), verify(backend)]);
  expect(both.map(({ kind }) => kind)).toEqual(["ok", "ok"]);
  const credentials = Buffer.from("edge%3A1:s%251").toString("base64");
  expect(tokens()).toMatchObject([
    { authorization: `Basic ${credentials}`, body: "grant_type=client_credentials&scope=a%3Aauth+b" },
  ]);
  accepted = "Bearer another";
  expect(await verify(backend)).toMatchObject({ kind: "ok", account: { account: "alice" } });
  expect(tokens()).toHaveLength(2);
});

test("a token that is refused again is no reason to request tokens without end", async () => {
  const backend = backendOf({ bearer_token: "fixed", cb_cooldown: "1h" });
  accepted = "Bearer another";
  await expect(verify(backend)).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  expect(faults).toEqual(["caller_refused"]);
  expect(seen).toMatchObject([{ authorization: "Bearer fixed" }]);
  await expect(verify(backend)).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  expect(seen).toHaveLength(1);
});

test("the client certificate is presented", async () => {
  await verify(backendOf({}));
  await verify(backendOf({ tls_client_cert: join(folder, "edge.crt"), tls_client_key: join(folder, "edge.key") }));
  expect(seen.map(({ isAuthorized }) => isAuthorized)).toEqual([false, true]);
});

test.each([
  ["another CA", { tls_ca_cert: "" }],
  ["another name", { tls_server_name: "other.internal" }],
])("a server with %s gets no password", async (_what, pool) => {
  await expect(verify(backendOf(pool))).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  expect(seen).toEqual([]);
});

test("answers held for one account close the backend for nobody, and the queue is bounded", async () => {
  const backend = backendOf({ pool_size: 2, queue_length: 0, request_timeout: "2s", cb_failure_threshold: 1 });
  const late = verify(backend, "held@example.test");
  late.catch(() => undefined);
  await poll("the held request", () => held.length === 1);
  expect((await verify(backendOf({}))).kind).toBe("ok");
  expect((await verify(backend)).kind).toBe("ok");
  await expect(late).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  expect(faults).toEqual(["timeout"]);
  expect((await verify(backend)).kind).toBe("ok");
  const patient = backendOf({ pool_size: 1, queue_length: 0 });
  verify(patient, "held@example.test").catch(() => undefined);
  await expect(verify(patient)).rejects.toMatchObject({ code: "DIRECTORY_OVERLOADED" });
});

test("a caller's deadline ends the request", async () => {
  await expect(verify(backendOf({}), "held@example.test", 100)).rejects.toMatchObject({
    code: "DIRECTORY_UNAVAILABLE",
  });
});

test("the sign-in pages, and searches for second factors, are not served", async () => {
  const backend = backendOf({});
  const request = { session: "s", dialect: "idp" as const };
  const outcomes = await Promise.all([
    backend.verify({ username: "alice", protocol: "oidc", request }, new Secret("secret"), context()),
    backend.lookup({ username: "alice", protocol: "mfa" }, context()),
  ]);
  expect(outcomes).toEqual([{ kind: "not_served" }, { kind: "not_served" }]);
  expect(seen).toEqual([]);
});

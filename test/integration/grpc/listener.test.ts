import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { credentials, status } from "@grpc/grpc-js";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountsBackends, createAccountsDatabase } from "../../support/accounts-database.ts";
import { alice } from "../../support/ask-json.ts";
import { makeCertificate, makeSignedCertificate } from "../../support/certificates.ts";
import { authMethod, type GrpcClient, grpcClient } from "../../support/grpc-client.ts";
import { askReflection, watchHealth } from "../../support/grpc-streams.ts";
import { basicAuth, type Stack, type StackOptions, startStack } from "../../support/stack.ts";

const name = { "grpc.ssl_target_name_override": "localhost" };
const check = "/grpc.health.v1.Health/Check";
const caller = { authorization: basicAuth } as const;

async function grpcStack(
  authority: object,
  options: StackOptions = {},
): Promise<{ readonly stack: Stack; readonly address: string }> {
  const address = `127.0.0.1:${await freePort()}`;
  const grpc = { authority: { enabled: true, address, ...authority } };
  return {
    stack: await startStack({ settings: { runtime: { servers: { grpc } } }, ...options }),
    address,
  };
}

describe("with TLS and client certificates", () => {
  const owned = new AsyncDisposableStack();
  let address: string;
  let file: (name: string) => Buffer;

  beforeAll(async () => {
    const folder = owned.use(await scratchFolder()).path;
    await makeCertificate(folder, "server", "/CN=localhost");
    await makeCertificate(folder, "clients", "/CN=clients");
    await makeSignedCertificate(folder, { name: "mail", subject: "/CN=mail", issuer: "clients" });
    await makeCertificate(folder, "stranger", "/CN=stranger");
    file = (path) => readFileSync(join(folder, path));
    const tls = {
      enabled: true,
      cert: join(folder, "server.crt"),
      key: join(folder, "server.key"),
      client_ca: join(folder, "clients.crt"),
      require_client_cert: true,
      min_tls_version: "TLS1.3",
    };
    const started = await grpcStack({ tls });
    owned.use(started.stack);
    address = started.address;
  });

  afterAll(() => owned.disposeAsync());

  test("serves a client with a certificate of the authority; its credentials are still checked", async () => {
    const channel = credentials.createSsl(file("server.crt"), file("mail.key"), file("mail.crt"));
    using client = grpcClient(address, channel, name);
    expect((await client.call(authMethod("Authenticate"), alice, caller)).message["ok"]).toBe(true);
    expect((await client.call(authMethod("Authenticate"), alice)).code).toBe(status.UNAUTHENTICATED);
  });

  test("rejects a client without a certificate, with one of another authority, or in plain text", async () => {
    const channels = [
      credentials.createSsl(file("server.crt")),
      credentials.createSsl(file("server.crt"), file("stranger.key"), file("stranger.crt")),
      credentials.createInsecure(),
    ];
    for (const channel of channels) {
      using client = grpcClient(address, channel, name);
      expect((await client.call(authMethod("Authenticate"), alice, caller)).code).toBe(status.UNAVAILABLE);
    }
  });

  test("min_tls_version rejects an older version", async () => {
    const [host = "", port] = address.split(":");
    const options = { host, port: Number(port), rejectUnauthorized: false, maxVersion: "TLSv1.2" } as const;
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = connect({ ...options, cert: file("mail.crt"), key: file("mail.key") }, () => resolve("connected"));
    socket.once("error", (err) => resolve(err.message));
    expect(await promise).toMatch(/protocol version/);
    socket.destroy();
  });
});

describe("lists", () => {
  test.each([
    { count: 2000, nameLength: 30, code: status.OK },
    { count: 30_000, nameLength: 200, code: status.RESOURCE_EXHAUSTED },
  ])("ListAccounts with $count accounts ends with $code", async ({ count, nameLength, code }) => {
    await using folder = await scratchFolder();
    const database = join(folder.path, "accounts.sqlite");
    createAccountsDatabase({ file: database, count, nameLength });
    const { stack, address } = await grpcStack({}, { backends: accountsBackends(database) });
    await using _stack = stack;
    using client = grpcClient(address);
    const listed = await client.call(authMethod("ListAccounts"), {}, caller);
    expect(listed.code).toBe(code);
    const { accounts } = listed.message;
    if (code === status.OK) expect(accounts).toHaveLength(count);
    else expect(accounts).toBeUndefined();
  });
});

describe("health and reflection", () => {
  let stack: Stack;
  let client: GrpcClient;
  let address: string;

  beforeAll(async () => {
    const started = await grpcStack({}, { shape: "five" });
    stack = started.stack;
    address = started.address;
    client = grpcClient(started.address);
  });

  afterAll(async () => {
    client[Symbol.dispose]();
    await stack[Symbol.asyncDispose]();
  });

  test("Check needs no credentials and returns the state of /readyz", async () => {
    for (const service of ["", "service.auth.v1.AuthService"]) {
      expect((await client.call(check, { service })).message).toEqual({ status: "SERVING" });
    }
    expect((await client.call(check, { service: "nobody.Knows" })).code).toBe(status.NOT_FOUND);
  });

  test("reflection lists the services and describes the messages", async () => {
    const services = await askReflection(address, { list_services: "" });
    for (const service of ["service.auth.v1.AuthService", "grpc.health.v1.Health"]) expect(services).toContain(service);
    const file = await askReflection(address, { file_containing_symbol: "service.auth.v1.AuthService" });
    expect(file).toContain("file_descriptor_proto");
    expect(file).not.toContain("error_code");
  });

  test("SIGTERM: calls in progress are answered, then the listener is closed", async () => {
    const watching = watchHealth(address);
    await poll("the first status", () => watching.seen.length > 0);
    stack.engines[0]?.signal("SIGSTOP");
    const waiting = client.call(authMethod("Authenticate"), alice, caller);
    await poll("the call to be in flight", async () =>
      /service_auth_in_flight 1\n/.test(await stack.gateway.metrics()),
    );
    stack.gateway.signal("SIGTERM");
    await poll("the gateway to drain", async () => (await stack.gateway.readiness()) === 503);
    stack.engines[0]?.signal("SIGCONT");
    expect((await waiting).message["ok"]).toBe(true);
    expect(await stack.gateway.stop()).toBe(0);
    await watching.ended;
    expect(watching.seen).toEqual([{ status: "SERVING" }, { status: "NOT_SERVING" }]);
    expect((await client.call(check, {})).code).toBe(status.UNAVAILABLE);
  });
});

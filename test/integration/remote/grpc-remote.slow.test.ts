import { join } from "node:path";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { makeCertificate } from "../../support/certificates.ts";
import { demoSeedFile } from "../../support/demo-users.ts";
import { logLineOf } from "../../support/log-lines.ts";
import {
  grpcMisbehaviour,
  startHungServer,
  startLyingGrpcServer,
  startStallingProxy,
} from "../../support/lying-grpc-server.ts";
import { type Stack, startStack } from "../../support/stack.ts";

const owned = new AsyncDisposableStack();
let edge: Stack;
let central: Stack;
let proxy: Awaited<ReturnType<typeof startStallingProxy>>;
let lying: Awaited<ReturnType<typeof startLyingGrpcServer>>;

const basic = { username: "backchannel", password: "demo-backchannel-secret" };
const bruteForce = {
  enabled: ["brute_force"],
  brute_force: {
    buckets: [{ name: "ipv4", period: "10m", ban_time: "1h", cidr: 32, failed_requests: 3, ipv4: true }],
    account_delay: { enabled: false },
  },
};

const listener = (port: number, tls = {}) => ({
  runtime: { servers: { grpc: { authority: { enabled: true, address: `127.0.0.1:${port}`, ...tls } } } },
  auth: { controls: bruteForce },
});

beforeAll(async () => {
  const { path: folder } = owned.use(await scratchFolder());
  await Promise.all(["central", "other"].map((name) => makeCertificate(folder, name, "/CN=central.internal")));
  lying = await startLyingGrpcServer();
  const hung = owned.use(await startHungServer());
  proxy = owned.use(await startStallingProxy(lying.port));
  const [centralPort, edgePort] = await Promise.all([freePort(), freePort()]);
  const tls = { enabled: true, cert: join(folder, "central.crt"), key: join(folder, "central.key") };
  const pinned = { tls_ca_cert: join(folder, "central.crt"), tls_server_name: "central.internal" };
  const loop = { format: "grpc", url: [`http://127.0.0.1:${edgePort}`], protocol: ["loop"], basic };
  const pool = { format: "grpc", url: [`https://127.0.0.1:${centralPort}`], ...pinned, basic, request_timeout: "30s" };
  const faulty = { format: "grpc", basic, request_timeout: "1s", cb_failure_threshold: 1000 };
  [central, edge] = await Promise.all([
    startStack({
      redis: true,
      settings: listener(centralPort, { tls }),
      backends: (at) => ({
        order: ["sql", "http"],
        sql: {
          default: { file: join(at, "directory.sqlite"), seed_file: demoSeedFile, busy_timeout: "10s" },
          search: [
            {
              protocol: ["*"],
              cache_name: "demo",
              queries: {
                user: "SELECT username AS account, password, display_name AS displayName, mail FROM users WHERE username = :username",
                list_accounts: "SELECT username AS account FROM users",
              },
              mapping: { account_field: "account", password_column: "password" },
              attribute: ["displayName", "mail"],
            },
          ],
        },
        http: { default: { ...loop, health_check_protocol: "imap" } },
      }),
    }),
    startStack({
      engines: 2,
      redis: true,
      settings: listener(edgePort),
      backends: {
        order: [
          "http(central)",
          "http(named)",
          "http(untrusted)",
          "http(refused)",
          "http(lying)",
          "http(stalls)",
          "http(hung)",
        ],
        http: {
          pools: {
            central: { ...pool, protocol: ["imap", "loop", "account-provider"] },
            named: {
              ...pool,
              url: [`https://127.0.0.1:${centralPort}/service.auth.v1.AuthService`],
              protocol: ["sieve"],
            },
            untrusted: { ...pool, tls_ca_cert: join(folder, "other.crt"), protocol: ["smtp"] },
            refused: { ...pool, basic: { ...basic, password: "wrong" }, protocol: ["submission"] },
            lying: { ...faulty, url: [`http://127.0.0.1:${lying.port}`], protocol: ["pop3"] },
            stalls: { ...faulty, url: [`http://127.0.0.1:${proxy.port}`], protocol: ["xmpp"] },
            hung: { ...faulty, url: [`http://127.0.0.1:${hung.port}`], protocol: ["lmtp"] },
          },
        },
      },
    }),
  ]);
  owned.use(central);
  owned.use(edge);
});

afterAll(async () => {
  await owned.disposeAsync();
  lying[Symbol.dispose]();
});

const ask = (fields: object, query?: string) => askJson(edge.url, { ...alice, ...fields }, { query });
const session = (answer: { readonly headers: Headers }): string => answer.headers.get("x-service-session") ?? "";

async function valueOf(stack: Stack, series: string): Promise<number> {
  const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
  const lines = pages.flatMap((page) => page.split("\n").find((line) => line.startsWith(`${series} `)) ?? []);
  return lines.reduce((sum, line) => sum + Number(line.slice(series.length + 1)), 0);
}

const bans = (stack: Stack) => valueOf(stack, 'service_brute_force_bans_total{rule="ipv4"}');
const faults = (stack: Stack, fault: string) => valueOf(stack, `service_remote_backend_faults_total{fault="${fault}"}`);

async function listOf({ url }: Stack): Promise<readonly string[]> {
  const { body } = await askJson(url, {}, { query: "?mode=list-accounts", headers: { accept: "text/plain" } });
  return body.split("\r\n");
}

describe("Postern in front of Postern, over gRPC with a pinned root", () => {
  test("admits a user with the attributes of the other site, as backend 6", async () => {
    const [here, there] = await Promise.all([ask({}), askJson(central.url, alice)]);
    expect([here.status, here.headers.get("auth-user")]).toEqual([200, alice.username]);
    expect(JSON.parse(here.body)).toEqual({ ...JSON.parse(there.body), backend: 6 });
    expect((await ask({ protocol: "sieve" })).status).toBe(200);
  });

  test("looks users up without a password, and lists the accounts of the other site", async () => {
    const [known, unknown] = await Promise.all([
      ask({ password: undefined }, "?mode=no-auth"),
      ask({ username: "nobody@example.test", password: undefined }, "?mode=no-auth"),
    ]);
    expect([known.status, unknown.status]).toEqual([200, 403]);
    const accounts = await listOf(edge);
    expect(accounts.length).toBeGreaterThan(2);
    expect(accounts).toEqual(await listOf(central));
  });

  test("what the mail server tells travels on, and a wrong password bans the network there, not here", async () => {
    const client = { client_ip: "198.51.100.7", client_port: "4711", external_session_id: "dovecot-7" };
    const bob = { ...client, username: "bob@example.test" };
    const first = await ask({ ...bob, password: "wrong-0" });
    expect([first.status, first.headers.get("auth-status"), first.body]).toEqual([403, "FAIL", "null"]);
    expect(await logLineOf(edge.gateway, session(first), "decided")).toMatchObject({ reason: "remote_denied" });
    for (let count = 1; count <= 3; count += 1) await ask({ ...bob, password: `wrong-${count}` });
    const banned = await ask({ ...bob, password: "bob-demo-password" });
    const elsewhere = await ask({ username: bob.username, password: "bob-demo-password" });
    expect([banned.status, elsewhere.status]).toEqual([403, 200]);
    expect([await bans(central), await bans(edge)]).toEqual([1, 0]);
    const lines = central.gateway.output().split("\n");
    const line = lines.find((one) => one.includes('"decided"') && one.includes("dovecot-7")) ?? "{}";
    expect(JSON.parse(line)).toMatchObject({ dialect: "grpc", client_ip: "198.51.100.7", reason: "wrong_password" });
  });

  test("a loop ends in a temporary failure", async () => {
    expect((await ask({ username: "nobody@example.test", protocol: "loop" })).status).toBe(500);
    expect((await faults(edge, "loop")) + (await faults(central, "loop"))).toBe(1);
  });

  test("a server whose certificate another CA signed gets no password, and refused credentials are no wrong password", async () => {
    expect((await ask({ protocol: "smtp", external_session_id: "untrusted-1" })).status).toBe(500);
    expect(central.gateway.output()).not.toContain("untrusted-1");
    for (let count = 0; count < 6; count += 1) expect((await ask({ protocol: "submission" })).status).toBe(500);
    expect(await faults(edge, "caller_refused")).toBeGreaterThan(0);
    expect(await bans(edge)).toBe(0);
  });
});

describe("a server that lies or hangs", () => {
  const old = { protocol: "pop3", client_ip: "198.51.100.20" };

  test("credentials, hops, TLS facts and a deadline are sent", async () => {
    expect((await ask({ ...old, ssl: "on", ssl_protocol: "TLSv1.3" })).status).toBe(200);
    const request = lying.received.find(({ fields }) => fields["username"] === alice.username);
    expect(request).toMatchObject({
      fields: { password: alice.password, client_ip: "198.51.100.20", ssl: "on", ssl_protocol: "TLSv1.3" },
      metadata: {
        authorization: `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString("base64")}`,
        "x-service-hops": expect.stringMatching(/^[0-9a-f]{12}$/u),
      },
      hasDeadline: true,
    });
  });

  test.each(Object.keys(grpcMisbehaviour))("%s: a temporary failure, and the next user signs in", async (name) => {
    const answer = await ask({ ...old, username: `${name}@example.test` });
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) });
    expect((await ask(old, "?in-memory=0")).status).toBe(200);
    expect(await bans(edge)).toBe(0);
  });

  test("each of these has a fault of its own", async () => {
    const counted = ["failed", "malformed", "oversized", "rate_limited", "request_refused", "timeout"];
    const numbers = await Promise.all(counted.map((fault) => faults(edge, fault)));
    expect(numbers.every((number) => number > 0)).toBe(true);
  });

  test("a connection that falls silent is left for another one", async () => {
    const stalled = { protocol: "xmpp" };
    for (let count = 0; count < 4; count += 1) expect((await ask(stalled, "?in-memory=0")).status).toBe(200);
    proxy.stall();
    await poll("a new connection", async () => (await ask(stalled, "?in-memory=0")).status === 200);
    for (let count = 0; count < 4; count += 1) await ask(stalled, "?in-memory=0");
    expect((await ask(stalled, "?in-memory=0")).status).toBe(200);
  });

  test("while it restarts, answers are temporary failures; afterwards users sign in again", async () => {
    const { port } = lying;
    lying[Symbol.dispose]();
    expect((await ask(old, "?in-memory=0")).status).toBe(500);
    lying = await startLyingGrpcServer(port);
    await poll("the first success", async () => (await ask(old, "?in-memory=0")).status === 200);
    expect(await bans(edge)).toBe(0);
  });

  test("a server that accepts connections and says nothing is a temporary failure in time", async () => {
    expect((await ask({ protocol: "lmtp" })).status).toBe(500);
  });
});

test("hops that cannot be read are refused", async () => {
  const answer = await askJson(edge.url, alice, { headers: { "x-service-hops": "x" } });
  expect(answer.status).toBe(400);
});

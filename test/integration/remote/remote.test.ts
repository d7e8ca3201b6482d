import { join } from "node:path";
import { freePort, poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { demoSeedFile } from "../../support/demo-users.ts";
import { logLineOf } from "../../support/log-lines.ts";
import {
  misbehaviour,
  type RecordedServer,
  recordedAccounts,
  startRecordedServer,
} from "../../support/recorded-server.ts";
import { type Stack, startStack } from "../../support/stack.ts";

const owned = new AsyncDisposableStack();
let edge: Stack;
let central: Stack;
let recorded: RecordedServer;

const basic = { username: "backchannel", password: "demo-backchannel-secret" };
const bruteForce = {
  enabled: ["brute_force"],
  brute_force: {
    buckets: [{ name: "ipv4", period: "10m", ban_time: "1h", cidr: 32, failed_requests: 3, ipv4: true }],
    account_delay: { enabled: false },
  },
};

const centralBackends = (edgeUrl: string) => (folder: string) => ({
  order: ["sql", "http"],
  sql: {
    default: { file: join(folder, "directory.sqlite"), seed_file: demoSeedFile, busy_timeout: "10s" },
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
  // A health check with the protocol of the loop would be one, too.
  http: {
    default: { url: [`${edgeUrl}/api/v1/auth/json`], protocol: ["loop"], health_check_protocol: "imap", basic },
  },
});

const edgeBackends = (centralUrl: string, oldPort: number, closedPort: number) => ({
  order: ["http(central)", "http(recorded)", "http(refused)"],
  http: {
    pools: {
      central: {
        url: [`${centralUrl}/api/v1/auth/cbor`],
        format: "cbor",
        protocol: ["imap", "loop", "account-provider"],
        basic,
        request_timeout: "30s",
      },
      recorded: {
        url: [`http://127.0.0.1:${closedPort}/auth?tenant=a`, `http://127.0.0.1:${oldPort}/auth?tenant=a`],
        protocol: ["pop3", "broken-list"],
        basic: { username: "edge", password: "edge-secret" },
        headers: { session: "X-Nauthilus-Session" },
        request_timeout: "1s",
        health_check_interval: "200ms",
      },
      refused: {
        url: [`${centralUrl}/api/v1/auth/json`],
        protocol: ["smtp"],
        basic: { ...basic, password: "not-the-secret" },
      },
    },
  },
});

beforeAll(async () => {
  recorded = await startRecordedServer();
  const [edgePort, centralPort, closedPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const [edgeUrl, centralUrl] = [`http://127.0.0.1:${edgePort}`, `http://127.0.0.1:${centralPort}`];
  const settings = { auth: { controls: bruteForce } };
  [central, edge] = await Promise.all([
    startStack({ httpPort: centralPort, redis: true, settings, backends: centralBackends(edgeUrl) }),
    startStack({
      httpPort: edgePort,
      engines: 2,
      redis: true,
      settings,
      backends: edgeBackends(centralUrl, recorded.port, closedPort),
    }),
  ]);
  owned.use(central);
  owned.use(edge);
});

afterAll(async () => {
  await owned.disposeAsync();
  await recorded[Symbol.asyncDispose]();
});

const ask = (fields: object, query?: string) => askJson(edge.url, { ...alice, ...fields }, { query });
const session = (answer: { readonly headers: Headers }): string => answer.headers.get("x-service-session") ?? "";

async function valueOf(stack: Stack, series: string): Promise<number> {
  const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
  const lines = pages.flatMap((page) => page.split("\n").find((line) => line.startsWith(`${series} `)) ?? []);
  return lines.reduce((sum, line) => sum + Number(line.slice(series.length + 1)), 0);
}

async function listOf({ url }: Stack): Promise<readonly string[]> {
  const { body } = await askJson(url, {}, { query: "?mode=list-accounts", headers: { accept: "text/plain" } });
  return body.split("\r\n");
}

const bans = (stack: Stack) => valueOf(stack, 'service_brute_force_bans_total{rule="ipv4"}');
const faults = (stack: Stack, fault: string) => valueOf(stack, `service_remote_backend_faults_total{fault="${fault}"}`);
const oldRequests = () => recorded.requests.filter(({ fields }) => fields["username"] === alice.username);

describe("Postern in front of Postern", () => {
  test("admits a user with the attributes of the other site, as backend 6", async () => {
    const [here, there] = await Promise.all([ask({}), askJson(central.url, alice)]);
    expect([here.status, here.headers.get("auth-user")]).toEqual([200, alice.username]);
    expect(JSON.parse(here.body)).toEqual({ ...JSON.parse(there.body), backend: 6 });
  });

  test("looks users up without a password", async () => {
    const [known, unknown] = await Promise.all([
      ask({ password: undefined }, "?mode=no-auth"),
      ask({ username: "nobody@example.test", password: undefined }, "?mode=no-auth"),
    ]);
    expect([known.status, unknown.status]).toEqual([200, 403]);
    expect(JSON.parse(known.body)).toMatchObject({ backend: 6, attributes: { mail: expect.any(Array) } });
  });

  test("lists the accounts of the other site", async () => {
    const accounts = await listOf(edge);
    expect(accounts.length).toBeGreaterThan(2);
    expect(accounts).toEqual(await listOf(central));
  });

  test("what the mail server tells travels on, and a wrong password bans the network there, not here", async () => {
    const client = {
      client_ip: "198.51.100.7",
      client_port: "4711",
      user_agent: "Thunderbird",
      external_session_id: "dovecot-7",
    };
    const first = await ask({ ...client, username: "bob@example.test", password: "wrong-0" });
    expect([first.status, first.headers.get("auth-status"), first.body]).toEqual([403, "FAIL", "null"]);
    expect(await logLineOf(edge.gateway, session(first), "decided")).toMatchObject({ reason: "remote_denied" });
    const line = await poll("the line of the other site", () =>
      central.gateway
        .output()
        .split("\n")
        .find((one) => one.includes('"decided"') && one.includes("dovecot-7")),
    );
    expect(JSON.parse(line)).toMatchObject({
      username: "bob@example.test",
      client_ip: "198.51.100.7",
      program: "Thunderbird",
      reason: "wrong_password",
    });
    for (let count = 1; count <= 3; count += 1) {
      await ask({ ...client, username: "bob@example.test", password: `wrong-${count}` });
    }
    const banned = await ask({ ...client, username: "bob@example.test", password: "bob-demo-password" });
    const elsewhere = await ask({ username: "bob@example.test", password: "bob-demo-password" });
    expect([banned.status, elsewhere.status]).toEqual([403, 200]);
    expect([await bans(central), await bans(edge)]).toEqual([1, 0]);
  });

  test("a loop ends in a temporary failure", async () => {
    const answer = await ask({ username: "nobody@example.test", protocol: "loop" });
    expect(answer.status).toBe(500);
    // The request may come back through the other engine of this site; then the other site detects the loop.
    expect((await faults(edge, "loop")) + (await faults(central, "loop"))).toBe(1);
  });

  test("refused credentials of this site are a temporary failure, and are not tried again at once", async () => {
    for (let count = 0; count < 6; count += 1) expect((await ask({ protocol: "smtp" })).status).toBe(500);
    const refused = await faults(edge, "caller_refused");
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(edge.engines.length);
    await poll("the line of the log", () =>
      edge.engines.some((engine) => engine.output().includes("remote service account refused")),
    );
  });
});

describe("Postern in front of another product", () => {
  const old = { protocol: "pop3", client_ip: "198.51.100.20" };

  test("speaks its names, although one of its addresses is dead", async () => {
    const answer = await ask({ ...old, ssl: "on", ssl_protocol: "TLSv1.3" });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({
      account_field: "mailAccount",
      backend: 6,
      attributes: { mailAccount: [alice.username], mailQuota: ["512"] },
    });
    const [request] = oldRequests();
    expect(request).toMatchObject({
      path: "/auth?tenant=a",
      headers: {
        authorization: `Basic ${Buffer.from("edge:edge-secret").toString("base64")}`,
        "content-type": "application/json",
        "x-service-hops": expect.stringMatching(/^[0-9a-f]{12}$/),
      },
      fields: {
        username: alice.username,
        password: alice.password,
        protocol: "pop3",
        client_ip: "198.51.100.20",
        ssl: "on",
        ssl_protocol: "TLSv1.3",
        external_session_id: session(answer),
      },
    });
  });

  test("its wrong passwords ban no network here, and its longer wait is passed on", async () => {
    for (let count = 0; count < 5; count += 1) {
      const answer = await ask({ ...old, password: `wrong-${count}` });
      expect([answer.status, answer.headers.get("auth-wait")]).toEqual([403, "3"]);
    }
    expect((await ask({ ...old, client_port: "1" }, "?in-memory=0")).status).toBe(200);
    expect(await bans(edge)).toBe(0);
  });

  test.each(Object.keys(misbehaviour))("%s: a temporary failure, and the next user signs in", async (name) => {
    const answer = await ask({ ...old, username: `${name}@example.test` });
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) });
    expect((await ask(old, "?in-memory=0")).status).toBe(200);
    expect(await bans(edge)).toBe(0);
  });

  test("a list that breaks off is not taken for a whole one", async () => {
    const options = { query: "?mode=list-accounts", headers: { accept: "text/plain" } };
    const whole = await askJson(edge.url, { protocol: "pop3" }, options);
    expect(whole.body.split("\r\n")).toEqual(recordedAccounts);
    const broken = await askJson(edge.url, { protocol: "broken-list" }, options).catch(() => undefined);
    expect(broken?.status ?? 500).toBe(500);
  });

  test("while it restarts, answers are temporary failures; afterwards users sign in again", async () => {
    const { port } = recorded;
    await recorded[Symbol.asyncDispose]();
    for (let count = 0; count < 6; count += 1) expect((await ask(old, "?in-memory=0")).status).toBe(500);
    recorded = await startRecordedServer(port);
    await poll("the first success", async () => (await ask(old, "?in-memory=0")).status === 200);
  });
});

test("a header with hops that cannot be read is refused", async () => {
  const answer = await askJson(edge.url, alice, { headers: { "x-service-hops": "x" } });
  expect(answer.status).toBe(400);
});

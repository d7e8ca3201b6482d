import { freePort, poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import type { Header } from "../../support/ask-raw.ts";
import { askDialect, type Dialect } from "../../support/dialects.ts";
import { authMethod, type GrpcClient, grpcClient } from "../../support/grpc-client.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

const failuresUntilBan = 5;
let stack: Stack;
let grpc: GrpcClient;

beforeAll(async () => {
  const address = `127.0.0.1:${await freePort()}`;
  stack = await startStack({
    redis: true,
    settings: {
      runtime: {
        servers: {
          http: {
            trusted_proxies: ["127.0.0.1"],
            auth_basic_endpoint: true,
            rate_limit: { per_second: 1000, burst: 1000 },
          },
          grpc: { authority: { enabled: true, address } },
        },
      },
      auth: {
        upstreams: { imap: { address: "127.0.0.1", port: 143 } },
        pipeline: { local_cache_ttl: "0s" },
        controls: {
          enabled: ["brute_force"],
          brute_force: {
            buckets: [
              { name: "v4", period: "10m", ban_time: "1h", cidr: 32, failed_requests: failuresUntilBan, ipv4: true },
              { name: "v6", period: "10m", ban_time: "1h", cidr: 64, failed_requests: failuresUntilBan, ipv6: true },
            ],
          },
        },
      },
    },
  });
  grpc = grpcClient(address);
});

afterAll(async () => {
  grpc[Symbol.dispose]();
  await stack[Symbol.asyncDispose]();
});

/** Sends alice's name; resolves to whether the password was accepted. */
type Ask = (clientIp: string, password: string) => Promise<boolean>;

async function byGrpc(client_ip: string, password: string): Promise<boolean> {
  const message = { ...alice, client_ip, password };
  const answer = await grpc.call(authMethod("Authenticate"), message, { authorization: basicAuth });
  return answer.message["ok"] === true;
}

const byHttp =
  (dialect: Dialect): Ask =>
  async (clientIp, password) =>
    (await askDialect(stack.url, dialect, { clientIp, password })).header("Auth-Status") === "OK";

const asks: readonly (readonly [string, Ask])[] = [
  ...(["json", "cbor", "form", "header", "proxy"] as const).map((dialect) => [dialect, byHttp(dialect)] as const),
  ["grpc", byGrpc],
];

/** A separate network for each test, as bans persist. */
let networks = 0;
function network(): string {
  networks += 1;
  return `203.0.113.${networks}`;
}

async function guess(ask: Ask, addressOf: (port: number) => string): Promise<void> {
  for (let count = 0; count < failuresUntilBan; count += 1) {
    expect(await ask(addressOf(51_000 + count), `wrong-${count}`)).toBe(false);
  }
}

async function gatewayMetric(series: string): Promise<number> {
  const text = await stack.gateway.metrics();
  const line = text.split("\n").find((row) => row.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}

describe.each(asks)("a client address with a port, %s", (_dialect, ask) => {
  test("counts guesses from address:port against the address, and bans it", async () => {
    const address = network();
    await guess(ask, (port) => `${address}:${port}`);
    expect(await ask(`${address}:60000`, alice.password)).toBe(false);
    expect(await ask(address, alice.password)).toBe(false);
    expect(await ask(`${network()}:60000`, alice.password)).toBe(true);
  });

  test("counts guesses from [v6]:port against its network, and bans it", async () => {
    networks += 1;
    const prefix = `2001:db8:0:${networks}`;
    await guess(ask, (port) => `[${prefix}::${port % 10}]:${port}`);
    expect(await ask(`[${prefix}::ff]:60000`, alice.password)).toBe(false);
    expect(await ask(`${prefix}::ff`, alice.password)).toBe(false);
  });
});

test.each(asks)("%s: an unreadable client address is logged and counted", async (name, ask) => {
  const dialect = name === "form" ? "json" : name;
  const series = `service_client_address_ignored_total{dialect="${dialect}",reason="unreadable"}`;
  const before = await gatewayMetric(series);
  for (const address of ["unknown", "-", "mail.example.test", "203.0.113.1, 203.0.113.2"]) {
    await ask(address, alice.password);
  }
  expect(await gatewayMetric(series)).toBe(before + 4);
  const line = await poll("the warning", () =>
    stack.gateway
      .output()
      .split("\n")
      .find(
        (text) => text.includes("client address is invalid and was ignored") && text.includes(`"dialect":"${dialect}"`),
      ),
  );
  expect(JSON.parse(line)).toMatchObject({ level: "warn", dialect, value: "unknown" });
});

async function basic(password: string, headers: readonly Header[]): Promise<boolean> {
  return (await askDialect(stack.url, "basic", { password, protocol: "http", headers })).status === 200;
}

describe("GET /api/v1/auth/basic through a trusted proxy", () => {
  test("an untrusted client's Client-IP neither bans another network nor hides its own", async () => {
    const [victim, untrusted] = [network(), network()];
    for (let count = 0; count < failuresUntilBan; count += 1) {
      const headers = [
        ["Client-IP", victim],
        ["X-Client-Port", "1"],
        ["X-Forwarded-For", untrusted],
      ] as const;
      expect(await basic(`wrong-${count}`, headers)).toBe(false);
    }
    expect(await basic(alice.password, [["X-Forwarded-For", victim]])).toBe(true);
    expect(
      await basic(alice.password, [
        ["X-Forwarded-For", untrusted],
        ["Client-IP", network()],
      ]),
    ).toBe(false);
  });

  test("an untrusted client that adds an address in front of its own in X-Forwarded-For is still counted by its own", async () => {
    const [victim, untrusted] = [network(), network()];
    for (let count = 0; count < failuresUntilBan; count += 1) {
      expect(await basic(`wrong-${count}`, [["X-Forwarded-For", `${victim}, ${untrusted}`]])).toBe(false);
    }
    expect(await basic(alice.password, [["X-Forwarded-For", victim]])).toBe(true);
    expect(await basic(alice.password, [["X-Forwarded-For", `${network()}, ${untrusted}`]])).toBe(false);
  });
});

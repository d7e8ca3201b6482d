import { type NatsServer, poll, type RedisServer } from "@postern/testing";
import type { ServiceProcess } from "../../support/service-process.ts";
import { basicAuth, startStack } from "../../support/stack.ts";

export const wrongAuth = `Basic ${Buffer.from("backchannel:wrong").toString("base64")}`;

export interface CallerAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly tookMs: number;
  readonly body: string;
}

export interface Gateway {
  readonly url: string;
  readonly process: ServiceProcess;
  /** A lookup of a demo user for an address that the loopback proxy forwards, with correct credentials unless others are given. */
  ask(clientIp: string, authorization?: string): Promise<CallerAnswer>;
  /** The value of one series of the metrics page. */
  metric(series: string): Promise<number>;
}

export interface Gateways extends AsyncDisposable {
  readonly redis: RedisServer;
  readonly nats: NatsServer;
  readonly engine: ServiceProcess;
  readonly first: Gateway;
  /** Starts another gateway on the same Redis and NATS, with keys changed by the environment. */
  start(env?: Readonly<Record<string, string>>): Promise<Gateway>;
  /** Starts Redis again on its port, empty, after it was killed. */
  startRedis(): Promise<RedisServer>;
}

export interface RateLimit {
  readonly per_second: number;
  readonly burst: number;
}

async function ask(url: string, headers: Readonly<Record<string, string>>): Promise<CallerAnswer> {
  const started = performance.now();
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ username: "alice@example.test", protocol: "imap" }),
  });
  const tookMs = performance.now() - started;
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    tookMs,
    body: await response.text(),
  };
}

function gatewayOf(url: string, process: ServiceProcess): Gateway {
  const path = `${url}/api/v1/auth/json?mode=no-auth`;
  return {
    url,
    process,
    ask: (clientIp, authorization = basicAuth) => ask(path, { authorization, "x-forwarded-for": clientIp }),
    metric: async (series) => {
      const line = (await process.metrics()).split("\n").find((text) => text.startsWith(`${series} `));
      return Number(line?.slice(series.length + 1));
    },
  };
}

/** A gateway with an engine, NATS and Redis, to which a test may add gateways. */
export async function startGateways(rateLimit: RateLimit): Promise<Gateways> {
  await using started = new AsyncDisposableStack();
  const settings = { runtime: { servers: { http: { rate_limit: rateLimit } } } };
  const stack = started.use(await startStack({ shape: "five", redis: true, settings }));
  const [engine] = stack.engines;
  if (engine === undefined) throw new Error("the engine is missing");
  const owned = started.move();
  return {
    get redis() {
      if (stack.redis === undefined) throw new Error("Redis is missing");
      return stack.redis;
    },
    get nats() {
      return stack.nats;
    },
    engine,
    first: gatewayOf(stack.url, stack.gateway),
    start: async (env) => {
      const { url, process } = await stack.startReplica("gateway", env);
      return gatewayOf(url, process);
    },
    startRedis: () => stack.startRedis(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const localTaken = 'service_failure_budget_tokens_total{bucket="local",result="taken"}';

/**
 * The result of a round in which no gateway counted locally, as each does while Redis takes more than 100 ms. Each round needs addresses of
 * its own. Gateways that always count locally fail the test.
 */
export async function countedShared<T>(gateways: readonly Gateway[], round: (index: number) => Promise<T>): Promise<T> {
  const local = async (): Promise<number> => {
    const counts = await Promise.all(gateways.map((gateway) => gateway.metric(localTaken)));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  let index = 0;
  const { result } = await poll("a round in which Redis counted everything", async () => {
    index += 1;
    const before = await local();
    const found = await round(index);
    return (await local()) === before && { result: found };
  });
  return result;
}

/** Counts the statuses of `count` simultaneous requests. */
export async function countStatuses(count: number, askOne: () => Promise<CallerAnswer>): Promise<Map<number, number>> {
  const answers = await Promise.all(Array.from({ length: count }, askOne));
  return new Map(
    Map.groupBy(answers, ({ status }) => status)
      .entries()
      .map(([status, group]) => [status, group.length]),
  );
}

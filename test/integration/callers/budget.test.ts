import { pause, poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { sendRaw, statusesIn } from "../../support/raw-http.ts";
import { settledOrder } from "../../support/settled-order.ts";
import { basicAuth } from "../../support/stack.ts";
import {
  type CallerAnswer,
  countedShared,
  countStatuses,
  type Gateway,
  type Gateways,
  startGateways,
  wrongAuth,
} from "./gateways.ts";

const perSecond = 1;
const burst = 20;

let stack: Gateways;
let first: Gateway;
let second: Gateway;

beforeAll(async () => {
  stack = await startGateways({ per_second: perSecond, burst });
  [first, second] = [stack.first, await stack.start()];
});

afterAll(() => stack[Symbol.asyncDispose]());

/** The most tokens that the bucket can have given since `startedAt`. */
function allowance(startedAt: number): number {
  return burst + Math.ceil(((performance.now() - startedAt) / 1000) * perSecond);
}

function refillSince(startedAt: number): number {
  return Math.ceil(((performance.now() - startedAt) / 1000) * perSecond);
}

/** Simultaneous wrong requests; ends with the first 429, to leave time before the refill. */
async function exhaust(askWrong: (index: number) => Promise<CallerAnswer>): Promise<void> {
  const answers = Array.from({ length: burst + 5 }, (_value, index) => askWrong(index));
  const refused = answers.map(async (answer) => {
    if ((await answer).status !== 429) throw new Error("not 429");
  });
  await Promise.any(refused);
}

/** The 429 to correct credentials after wrong ones emptied the budget, before the refill. */
function emptied(askWrong: (index: number) => Promise<CallerAnswer>, askRight: () => Promise<CallerAnswer>) {
  return poll("correct credentials to be answered with 429", async () => {
    await exhaust(askWrong);
    const answer = await askRight();
    return answer.status === 429 && answer;
  });
}

/** Tokens that the first gateway has taken: in Redis, or by itself while Redis is too slow for it. */
async function taken(): Promise<number> {
  const counts = await Promise.all(
    ["shared", "local"].map((bucket) =>
      first.metric(`service_failure_budget_tokens_total{bucket="${bucket}",result="taken"}`),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

const furtherEvaluations = 'service_failure_budget_tokens_total{bucket="shared",result="empty"}';

const body = JSON.stringify({ username: alice.username, protocol: "imap" });

/** Look-ups with these credentials, pipelined in one write; resolves to their statuses. */
async function askPipelined(gateway: Gateway, clientIp: string, credentials: readonly string[]) {
  const request = (authorization: string, connection: string): string => {
    const head = [
      "POST /api/v1/auth/json?mode=no-auth HTTP/1.1",
      "host: gateway",
      `authorization: ${authorization}`,
      "content-type: application/json",
      `x-forwarded-for: ${clientIp}`,
      `content-length: ${body.length}`,
      `connection: ${connection}`,
    ];
    return `${head.join("\r\n")}\r\n\r\n${body}`;
  };
  const last = credentials.length - 1;
  const requests = credentials.map((each, index) => request(each, index === last ? "close" : "keep-alive"));
  return statusesIn((await sendRaw(Number(new URL(gateway.url).port), [requests.join("")])).text);
}

/** Evaluations that found no token, at both gateways. */
async function evaluatedInVain(): Promise<number> {
  const [here = 0, there = 0] = await Promise.all([first, second].map((gateway) => gateway.metric(furtherEvaluations)));
  return here + there;
}

/** Wrong credentials in parallel through both gateways, from one address. */
async function wrongAtBoth(clientIp: string, count: number) {
  const before = await evaluatedInVain();
  const startedAt = performance.now();
  const answers = await Promise.all(
    Array.from({ length: count }, (_value, index) => (index % 2 === 0 ? first : second).ask(clientIp, wrongAuth)),
  );
  const [limit, refilled] = [allowance(startedAt), refillSince(startedAt)];
  return { answers, limit, refilled, inVain: (await evaluatedInVain()) - before };
}

describe("failure budget (contract, Failure-budget rules)", () => {
  test("parallel failures through two gateways share one budget: as many as burst plus refill are answered with 401, the others with 429", async () => {
    const { answers, limit, refilled, inVain } = await countedShared([first, second], (index) =>
      wrongAtBoth(`198.51.100.${index}`, 4 * burst),
    );
    const of = (status: number): CallerAnswer[] => answers.filter((answer) => answer.status === status);
    expect(of(401).length).toBeGreaterThanOrEqual(burst);
    expect(of(401).length).toBeLessThanOrEqual(limit);
    expect(of(429).length).toBe(4 * burst - of(401).length);
    expect(Math.min(...of(401).map(({ tookMs }) => tookMs))).toBeGreaterThanOrEqual(299);
    for (const { retryAfter, body } of of(429)) expect([retryAfter, body]).toEqual(["1", ""]);
    expect(inVain).toBeLessThanOrEqual(2 * (1 + refilled));
  });

  test("correct credentials pipelined behind wrong ones are not evaluated once the budget is empty", async () => {
    const startedAt = performance.now();
    // Enough wrong ones to take every token that is refilled meanwhile.
    const wrong = Array.from({ length: 3 * burst }, () => wrongAuth);
    const statuses = await askPipelined(first, "203.0.113.40", [...wrong, basicAuth]);
    expect(statuses.length).toBe(wrong.length + 1);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(allowance(startedAt));
    expect(statuses.at(-1)).toBe(429);
  });

  test("an empty budget answers 429 to correct credentials too, at every gateway, and 200 after the refill", async () => {
    const clientIp = "203.0.113.2";
    const askWrong = (): Promise<CallerAnswer> => first.ask(clientIp, wrongAuth);
    for (const gateway of [second, first]) {
      let order: readonly string[] = [];
      const { retryAfter, body } = await emptied(askWrong, async () => {
        const [rejected, refused] = [gateway.ask("203.0.113.66", wrongAuth), gateway.ask(clientIp)];
        order = await settledOrder({ rejected, refused });
        return refused;
      });
      expect([retryAfter, body]).toEqual(["1", ""]);
      // A 401 is delayed; a 429 is not.
      expect(order).toEqual(["refused", "rejected"]);
    }
    expect((await first.ask("203.0.113.3")).status).toBe(200);
    for (const gateway of [first, second]) {
      await poll("a token to be refilled", async () => (await gateway.ask(clientIp)).status === 200);
    }
  });

  test("a lost event leads to one additional evaluation", async () => {
    await pause(stack.nats);
    try {
      const { statuses, refilled, inVain } = await countedShared([first, second], async (index) => {
        const clientIp = `203.0.114.${index}`;
        const startedAt = performance.now();
        await exhaust(() => first.ask(clientIp, wrongAuth));
        const before = await second.metric(furtherEvaluations);
        const counted = await countStatuses(50, () => second.ask(clientIp, wrongAuth));
        const evaluated = (await second.metric(furtherEvaluations)) - before;
        return { statuses: counted, refilled: refillSince(startedAt), inVain: evaluated };
      });
      expect(statuses.get(401) ?? 0).toBeLessThanOrEqual(refilled);
      expect(inVain).toBeLessThanOrEqual(1 + refilled);
      expect(inVain).toBeGreaterThan(0);
    } finally {
      stack.nats.signal("SIGCONT");
    }
    await poll("the bus to be connected", async () => (await second.ask("203.0.113.5")).status === 200);
  });

  test("a success never takes a token: 2,000 right requests from one address without a pause, with some wrong ones between them", async () => {
    const clientIp = "203.0.113.6";
    const before = await taken();
    for (let round = 0; round < 10; round += 1) {
      const accepted = Array.from({ length: 100 }, () => basicAuth);
      const statuses = await Promise.all(Array.from({ length: 2 }, () => askPipelined(first, clientIp, accepted)));
      expect(statuses.flat()).toEqual(Array.from({ length: 200 }, () => 200));
      if (round % 2 === 1) expect((await first.ask(clientIp, wrongAuth)).status).toBe(401);
    }
    expect((await taken()) - before).toBe(5);
  });
});

/** Each test has its own address or gateway. */
describe.concurrent("failure budget: which requests and addresses count", () => {
  test("each request to /api/v1/auth/basic takes a token, even with a user's correct credentials", async () => {
    const open = await stack.start({ SERVICE_RUNTIME_SERVERS_HTTP_AUTH_BASIC_ENDPOINT: "true" });
    const credentials = Buffer.from(`${alice.username}:${alice.password}`).toString("base64");
    const ask = (clientIp: string): Promise<number> => {
      const headers = { authorization: `Basic ${credentials}`, "auth-protocol": "http", "x-forwarded-for": clientIp };
      return fetch(`${open.url}/api/v1/auth/basic`, { headers }).then(({ status }) => status);
    };
    const { clientIp, statuses, limit } = await countedShared([open], async (index) => {
      const from = `203.0.115.${index}`;
      const startedAt = performance.now();
      const all = await Promise.all(Array.from({ length: burst * 2 }, () => ask(from)));
      return { clientIp: from, statuses: all, limit: allowance(startedAt) };
    });
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(burst);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(limit);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    const { status } = await poll("the back channel to reject that address", async () => {
      await Promise.all(Array.from({ length: burst }, () => ask(clientIp)));
      const answer = await open.ask(clientIp);
      return answer.status === 429 && answer;
    });
    expect(status).toBe(429);
    expect((await open.ask("203.0.113.13")).status).toBe(200);
  });

  test("an IPv6 client is counted by its /64", async () => {
    const askWrong = (host: number): Promise<CallerAnswer> => first.ask(`2001:db8:1:2::${host + 1}`, wrongAuth);
    await emptied(askWrong, () => first.ask("2001:db8:1:2:ffff::1"));
    expect((await first.ask("2001:db8:1:3::1")).status).toBe(200);
  });

  test("an IPv4-mapped address is counted as the IPv4 address", async () => {
    const { status } = await emptied(
      () => first.ask("::ffff:203.0.113.7", wrongAuth),
      () => first.ask("203.0.113.7"),
    );
    expect(status).toBe(429);
  });

  test("an untrusted peer cannot spend the budget of others", async () => {
    const victim = "203.0.113.8";
    const untrusting = await stack.start({ SERVICE_RUNTIME_SERVERS_HTTP_TRUSTED_PROXIES: "192.0.2.1" });
    const askWrong = (): Promise<CallerAnswer> => untrusting.ask(victim, wrongAuth);
    await emptied(askWrong, () => untrusting.ask("203.0.113.9"));
    expect((await first.ask(victim)).status).toBe(200);
  });

  test("without auth.backchannel, every request is rejected with 401 and takes a token", async () => {
    const closed = await stack.start({ SERVICE_AUTH_BACKCHANNEL_BASIC_AUTH_ENABLED: "false" });
    const statuses = await countStatuses(burst + 5, () => closed.ask("203.0.113.10"));
    expect(statuses.get(401)).toBeGreaterThanOrEqual(burst);
    expect(statuses.get(429)).toBeGreaterThan(0);
  });

  test("with middlewares.rate disabled, requests are not limited", async () => {
    const unlimited = await stack.start({ SERVICE_RUNTIME_SERVERS_HTTP_MIDDLEWARES_RATE: "false" });
    const statuses = await countStatuses(burst * 2, () => unlimited.ask("203.0.113.11", wrongAuth));
    expect([...statuses]).toEqual([[401, burst * 2]]);
  });
});

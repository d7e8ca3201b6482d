import { poll } from "@postern/testing";
import { alice, askJson } from "../../support/ask-json.ts";
import { type OidcStack, startOidcStack, testClients } from "../../support/oidc-stack.ts";
import { type ServiceProcess, untilReady } from "../../support/service-process.ts";
import { basicAuth, type Replica } from "../../support/stack.ts";
import type { Tree } from "../../support/stack-config.ts";

/** Wrong passwords after which a network is banned. */
export const failures = 5;
const bannedNetwork = "203.0.113";
const otherNetwork = "198.51.100";
export const machine = { id: "demo-m2m", secret: "demo-m2m-secret" };
export const basicOf = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;

/** A response that contradicts a guarantee, or that was a failure to decide. */
export interface Observation {
  readonly probe: string;
  readonly status: number;
  readonly body: string;
  /** The time by `performance.now()`. */
  readonly endedAt: number;
}

interface Probe {
  readonly name: string;
  readonly right: number;
  /** The statuses that say that no answer is possible now. */
  readonly undecided: readonly number[];
  readonly ask: (url: string) => Promise<{ readonly status: number; readonly body: string }>;
}

/** Two gateways, some engines, two idp replicas, admin and a worker on one Redis; one network is banned. */
export interface RedisSite extends AsyncDisposable {
  readonly oidc: OidcStack;
  readonly all: readonly ServiceProcess[];
  /** Addresses of the two gateways. */
  readonly urls: readonly [string, string];
  /** The hash tag of the keys of the banned network. */
  readonly banTag: string;
  /**
   * Sends the probes to both gateways without pause until `fault` has ended and every probe has its right answer again. `fault` can
   * wait until each gateway has answered each probe so many more times.
   */
  observe(
    fault: (waitForAnswers: (times: number) => Promise<unknown>) => Promise<unknown>,
  ): Promise<{ readonly wrong: readonly Observation[]; readonly undecided: readonly Observation[] }>;
}

/** A token of a client for the API. */
export async function tokenOf(issuer: string): Promise<string> {
  const response = await fetch(`${issuer}/oidc/token`, {
    method: "POST",
    headers: {
      authorization: basicOf(machine.id, machine.secret),
      "content-type": "application/x-www-form-urlencoded",
    },
    body: "grant_type=client_credentials&scope=service:authenticate",
  });
  return String(Object(await response.json()).access_token);
}

const signIn = (network: string) => (url: string) => askJson(url, { ...alice, client_ip: `${network}.7` });

function probesOf(token: string): readonly Probe[] {
  return [
    { name: "correct password", right: 200, undecided: [], ask: signIn(otherNetwork) },
    { name: "correct password from a banned network", right: 403, undecided: [], ask: signIn(bannedNetwork) },
    {
      name: "caller with a token",
      right: 200,
      undecided: [503],
      ask: (url) =>
        askJson(url, { ...alice, client_ip: `${otherNetwork}.8` }, { headers: { authorization: `Bearer ${token}` } }),
    },
    {
      name: "introspection",
      right: 200,
      undecided: [500],
      ask: async (url) => {
        const response = await fetch(`${url}/oidc/introspect`, {
          method: "POST",
          headers: {
            authorization: basicOf("demo-dovecot", "demo-dovecot-secret"),
            "content-type": "application/x-www-form-urlencoded",
          },
          body: `token=${token}`,
        });
        const body = await response.text();
        return { status: response.status === 200 && !body.includes('"active":true') ? 418 : response.status, body };
      },
    },
  ];
}

async function ban(url: string): Promise<void> {
  for (let index = 1; index <= failures; index += 1) {
    await askJson(url, { ...alice, password: `wrong-${index}`, client_ip: `${bannedNetwork}.1` });
  }
  await poll("the ban in Redis", async () => {
    const response = await fetch(`${url}/api/v1/bruteforce/list`, { headers: { authorization: basicAuth } });
    return (await response.text()).includes(`${bannedNetwork}.0/24`);
  });
}

async function allRight(urls: readonly string[], probes: readonly Probe[]): Promise<boolean> {
  const checks = urls.flatMap((url) => probes.map(async ({ ask, right }) => (await ask(url)).status === right));
  return (await Promise.all(checks)).every(Boolean);
}

function observer(urls: readonly string[], probes: readonly Probe[]): RedisSite["observe"] {
  return async (fault) => {
    const wrong: Observation[] = [];
    const undecided: Observation[] = [];
    const stopping = new AbortController();
    const counts: number[] = [];
    const loop = async (url: string, { name, right, undecided: allowed, ask }: Probe, place: number): Promise<void> => {
      for (counts[place] = 0; !stopping.signal.aborted; counts[place] = (counts[place] ?? 0) + 1) {
        const { status, body } = await ask(url);
        if (status === right) continue;
        (allowed.includes(status) ? undecided : wrong).push({
          probe: name,
          status,
          body,
          endedAt: performance.now(),
        });
      }
    };
    const waitForAnswers = (times: number): Promise<unknown> => {
      const before = [...counts];
      return poll("more answers", () => counts.every((count, place) => count >= (before[place] ?? 0) + times), 120_000);
    };
    const each = urls.flatMap((url) => probes.map((probe) => ({ url, probe })));
    const running = Promise.all(each.map(({ url, probe }, place) => loop(url, probe, place)));
    try {
      await fault(waitForAnswers);
      await poll("the right answers to everything", () => allRight(urls, probes), 120_000);
    } finally {
      stopping.abort();
      await running;
    }
    return { wrong, undecided };
  };
}

export interface RedisSiteOptions {
  readonly engines?: number;
  /** Merged into `auth.controls.brute_force.without_redis`. */
  readonly withoutRedis?: Tree;
  /** Additional environment variables of every service. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** @param redis `storage.redis`; without members, a server of the stack */
export async function startRedisSite(
  redis: Tree,
  { engines = 2, env, withoutRedis }: RedisSiteOptions = {},
): Promise<RedisSite> {
  await using started = new AsyncDisposableStack();
  const oidc = started.use(
    await startOidcStack(
      testClients,
      {},
      {
        more: {
          runtime: { timeouts: { decision: "60s" } },
          storage: { redis },
          auth: {
            // Tokens are verified at each request.
            backchannel: { oidc_bearer: { cache_ttl: "0s" } },
            controls: {
              enabled: ["brute_force"],
              brute_force: {
                buckets: [
                  { name: "net", period: "1h", ban_time: "1h", cidr: 24, failed_requests: failures, ipv4: true },
                ],
                without_redis: { timeout: "250ms", retry_interval: "100ms", ...withoutRedis },
                account_delay: { enabled: false },
              },
            },
          },
        },
        engines,
        env,
      },
    ),
  );
  const { stack } = oidc;
  const admin = await stack.start("admin");
  const worker = await stack.start("jobs-worker");
  const second: Replica = await stack.startReplica("gateway");
  await ban(stack.url);
  const probes = probesOf(await tokenOf(stack.url));
  const urls = [stack.url, second.url] as const;
  // A gateway is ready before it has reached Redis.
  await poll("the right answers to everything", () => allRight(urls, probes), 60_000);
  const all = [...stack.engines, stack.gateway, second.process, ...oidc.processes, admin, worker];
  const owned = started.move();
  return {
    oidc,
    all,
    urls,
    banTag: `${bannedNetwork}.0/24`,
    observe: observer(urls, probes),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Waits until each service that must be ready is ready again. */
export async function allReady(services: readonly ServiceProcess[]): Promise<void> {
  for (const service of services) await untilReady(service);
}

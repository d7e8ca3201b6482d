import { once } from "node:events";
import {
  freePort,
  type NatsServer,
  poll,
  type RedisServer,
  scratchFolder,
  spawnNats,
  spawnRedis,
} from "@postern/testing";
import { alice, askJson } from "../../support/ask-json.ts";
import { enginesHeard, freeSitePorts, type SiteProcess, startSiteProcess } from "../../support/site-process.ts";
import { basicAuth, startStack } from "../../support/stack.ts";

/** Mail servers ask the other address when one does not answer. */
const giveUpMs = 3000;
/** Wrong passwords after which a network is banned. */
const failures = 5;
const bannedNetwork = "203.0.113";

interface Probe {
  readonly name: string;
  readonly right: number;
  readonly ask: (url: string) => Promise<Answer>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

function decision(url: string, fields: object, query = ""): Promise<Answer> {
  return askJson(url, { ...alice, ...fields }, { query });
}

async function page(url: string, path: string): Promise<Answer> {
  const response = await fetch(`${url}${path}`, { headers: { authorization: basicAuth } });
  return { status: response.status, body: await response.text() };
}

/** Each request comes from another network, so that none is banned for its wrong passwords. */
function createAddresses(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `10.${(count >> 8) & 255}.${count & 255}.1`;
  };
}

const address = createAddresses();
const probes: readonly Probe[] = [
  {
    name: "correct password from a banned network",
    right: 403,
    ask: (url) => decision(url, { client_ip: `${bannedNetwork}.7` }),
  },
  { name: "correct password", right: 200, ask: (url) => decision(url, { client_ip: address() }) },
  { name: "wrong password", right: 403, ask: (url) => decision(url, { client_ip: address(), password: "wrong" }) },
  { name: "lookup", right: 200, ask: (url) => decision(url, { client_ip: address() }, "?mode=no-auth") },
  { name: "discovery", right: 200, ask: (url) => page(url, "/.well-known/openid-configuration") },
  { name: "configuration", right: 200, ask: (url) => page(url, "/api/v1/config/load") },
];

/** Asks one machine and, if no answer comes from it, the other one. */
async function askEither({ ask }: Probe, urls: readonly string[]): Promise<Answer> {
  for (const url of urls) {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), giveUpMs);
    const answer = await Promise.race([ask(url).catch(() => undefined), late]);
    clearTimeout(timer);
    if (answer !== undefined) return answer;
  }
  return { status: 0, body: "neither machine answered" };
}

interface Wrong extends Answer {
  readonly probe: string;
}

export interface Observed {
  readonly wrong: readonly Wrong[];
  readonly slowestMs: number;
  readonly answered: number;
}

/** Waits until each probe was answered so many more times. */
type MoreAnswers = (times: number) => Promise<unknown>;

/** Sends all probes to both machines without pause until the fault has ended. */
async function observe(urls: readonly string[], fault: (more: MoreAnswers) => Promise<unknown>): Promise<Observed> {
  const wrong: Wrong[] = [];
  const counts: number[] = [];
  let slowestMs = 0;
  const stopping = new AbortController();
  const loop = async (probe: Probe, order: readonly string[], place: number): Promise<void> => {
    for (counts[place] = 0; !stopping.signal.aborted; counts[place] = (counts[place] ?? 0) + 1) {
      const started = performance.now();
      const { status, body } = await askEither(probe, order);
      slowestMs = Math.max(slowestMs, performance.now() - started);
      if (status !== probe.right) wrong.push({ probe: probe.name, status, body });
    }
  };
  const each = [urls, urls.toReversed()].flatMap((order) => probes.map((probe) => ({ order, probe })));
  const running = Promise.all(each.map(({ order, probe }, place) => loop(probe, order, place)));
  const more: MoreAnswers = (times) => {
    const before = [...counts];
    return poll("answers", () => counts.every((count, place) => count >= (before[place] ?? 0) + times), 300_000);
  };
  try {
    await fault(more);
  } finally {
    stopping.abort();
    await running;
  }
  return { wrong, slowestMs, answered: counts.reduce((sum, count) => sum + count, 0) };
}

const settingsOf = (nats: NatsServer, redis: RedisServer) => ({
  runtime: {
    bus: { servers: [nats.url] },
    timeouts: { decision: "60s", redis_read: "1s", redis_write: "1s" },
    servers: { http: { rate_limit: { per_second: 10_000, burst: 10_000 } } },
  },
  storage: { redis: { primary: { address: `127.0.0.1:${redis.port}` } } },
  auth: {
    controls: {
      enabled: ["brute_force"],
      brute_force: {
        buckets: [{ name: "net", period: "1h", ban_time: "1h", cidr: 24, failed_requests: failures, ipv4: true }],
        without_redis: { timeout: "250ms", retry_interval: "100ms" },
        account_delay: { enabled: false },
      },
    },
  },
  identity: { frontend: { enabled: true }, oidc: { enabled: true, issuer: "http://localhost:8080" } },
});

export type MachinePair = Awaited<ReturnType<typeof startMachinePair>>;

/** Two machines that run all services in one process each, with NATS between them and a Redis that keeps its data. One network is banned. */
export async function startMachinePair() {
  await using starting = new AsyncDisposableStack();
  const { path: folder } = starting.use(await scratchFolder());
  const owned = starting.use(new AsyncDisposableStack());
  // The settings that docs/operate/shapes.md names.
  const persistent = ["--dir", folder, "--appendonly", "yes", "--maxmemory-policy", "noeviction"];
  const startRedis = async (port: number) => owned.use(await spawnRedis({ port, args: persistent }));
  let redis = await startRedis(await freePort());
  let nats = owned.use(await spawnNats());
  const settings = settingsOf(nats, redis);
  const stack = owned.use(await startStack({ engines: 0, gateway: false, serversLater: true, settings }));
  const ports = [await freeSitePorts(), await freeSitePorts()];
  const urls = ports.map(({ http }) => `http://127.0.0.1:${http}`);
  const start = async (index: number): Promise<SiteProcess> => {
    const port = ports[index];
    return owned.use(await startSiteProcess({ configFile: stack.configFile, ...(port && { ports: port }) }));
  };
  const sites = await Promise.all([start(0), start(1)]);
  const siteAt = (index: number): SiteProcess => {
    const site = sites[index];
    if (site === undefined) throw new Error(`there is no machine ${index}`);
    return site;
  };
  /** Bans a network by guesses at the first machine, and resolves with the answer of the other one to its next request. */
  const ban = async (network: string): Promise<number> => {
    const [guessed = "", other = ""] = urls;
    for (let index = 0; index < failures; index += 1) {
      await decision(guessed, { client_ip: `${network}.1`, password: `guess ${index} at ${network}` });
    }
    return (await decision(other, { client_ip: `${network}.2` })).status;
  };
  await ban(bannedNetwork);
  await observe(urls, (more) => more(1));
  const ended = starting.move();
  return {
    siteAt,
    nats: () => nats,
    redis: () => redis,
    ban,
    /** Starts the process of a machine again. */
    restart: async (index: number): Promise<void> => {
      sites[index] = await start(index);
    },
    /** Starts NATS on its port again. */
    restartNats: async (): Promise<void> => {
      nats = owned.use(await spawnNats({ port: nats.port }));
    },
    /** Starts Redis on its port again, with its data. */
    restartRedis: async (): Promise<void> => {
      redis = await startRedis(redis.port);
    },
    /** Waits until both gateways hear both engines. */
    bothHeard: async (): Promise<void> => {
      for (const site of sites) await enginesHeard(site, 2);
    },
    /** Waits until both engines use Redis. */
    bothUseRedis: async (): Promise<void> => {
      for (const { services } of sites) {
        await poll("the engine to use Redis", async () =>
          ((await services.get("auth-engine")?.metrics()) ?? "").includes("service_brute_force_redis_away 0\n"),
        );
      }
    },
    observe: (fault: (more: MoreAnswers) => Promise<unknown>) => observe(urls, fault),
    [Symbol.asyncDispose]: () => ended.disposeAsync(),
  };
}

/** Kills a server, and waits for its end. */
export async function kill({ signal, process }: Pick<SiteProcess["gateway"], "signal" | "process">): Promise<void> {
  signal("SIGKILL");
  await once(process, "exit");
}

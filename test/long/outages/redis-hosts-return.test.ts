import { execFile } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { pause, poll, type RedisSentinel, spawnRedisSentinel } from "@postern/testing";
import { expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import type { OidcStack } from "../../support/oidc-stack.ts";
import { askToken, codeForm, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { type ServiceProcess, untilReady } from "../../support/service-process.ts";
import { showFigures } from "./figures.ts";
import { basicOf, failures, machine, type RedisSite, startRedisSite, tokenOf } from "./redis-site.ts";

const run = promisify(execFile);
const client = "demo-web";
const count = 30;
const network = "192.0.2";
const returning = { replica: 0 };
const staying = { replica: 1 };

type Form = Readonly<Record<string, string>>;

interface Issued {
  readonly codes: readonly Form[];
  readonly tokens: readonly string[];
}

/** Codes and tokens that both servers of Redis have. */
async function issue({ first }: RedisSentinel, { oidc, urls }: RedisSite): Promise<Issued> {
  const redis = await testRedis(first.port);
  const cookie = await signedIn(redis);
  const each = Array.from({ length: count });
  const tokens = await Promise.all(each.map(() => tokenOf(urls[0])));
  const codes: Form[] = [];
  while (codes.length < count) codes.push(await codeForm(oidc, { clientId: client }, cookie));
  await redis.set("mark", "x");
  expect(await redis.wait(1, 30_000)).toBe(1);
  redis.disconnect();
  return { codes, tokens };
}

function askAs(oidc: OidcStack, replica: number, path: string, id: string, token: string): Promise<Response> {
  return oidc.ask(replica, path, {
    method: "POST",
    headers: { authorization: basicOf(id, `${id}-secret`) },
    body: new URLSearchParams({ token }),
  });
}

const fromBannedNetwork = (url: string) => askJson(url, { ...alice, client_ip: `${network}.7` });

/** Services are ready while they look for Redis. */
async function followed({ oidc, urls: [, url] }: RedisSite, { tokens: [token = ""] }: Issued): Promise<void> {
  await poll(
    "the services to use the new primary",
    async () => {
      const response = await askAs(oidc, staying.replica, "/oidc/introspect", "demo-dovecot", token);
      return (await response.text()).includes('"active":true') && (await fromBannedNetwork(url)).status === 200;
    },
    60_000,
  );
}

/** Redeems the codes, revokes the tokens and bans a network at the hosts that were not away. */
async function useUp({ oidc, urls: [, url] }: RedisSite, { codes, tokens }: Issued): Promise<void> {
  for (const code of codes) expect((await askToken(oidc, code, { ...staying, client })).status).toBe(200);
  for (const token of tokens) {
    expect((await askAs(oidc, staying.replica, "/oidc/revoke", machine.id, token)).status).toBe(200);
  }
  for (let index = 1; index <= failures; index += 1) {
    await askJson(url, { ...alice, password: `wrong-${index}`, client_ip: `${network}.1` });
  }
  await poll("the ban", async () => (await fromBannedNetwork(url)).status === 403);
}

/** What an answer says; undefined if it says that no answer is possible now. */
type Verdict = string | undefined;

const ofStatus = (status: number, right: number): Verdict =>
  status >= 500 ? undefined : status === right ? "right" : `wrong: ${status}`;

/** All questions, asked until each is answered, at hosts that have just returned. */
function questions({ oidc, urls: [url] }: RedisSite, { codes, tokens }: Issued): readonly (() => Promise<Verdict>)[] {
  const redeemAgain = async (code: Form): Promise<Verdict> => {
    const { status, body } = await askToken(oidc, code, { ...returning, client });
    return status === 400 && body["error"] !== "invalid_grant" ? String(body["error"]) : ofStatus(status, 400);
  };
  const introspect = async (token: string): Promise<Verdict> => {
    const response = await askAs(oidc, returning.replica, "/oidc/introspect", "demo-dovecot", token);
    const isActive = (await response.text()).includes('"active":true');
    return isActive ? "wrong: active" : ofStatus(response.status, 200);
  };
  const call = async (token: string): Promise<Verdict> => {
    const headers = { authorization: `Bearer ${token}` };
    return ofStatus((await askJson(url, alice, { headers })).status, 401);
  };
  return [
    ...codes.map((code) => () => redeemAgain(code)),
    ...tokens.map((token) => () => introspect(token)),
    ...tokens.map((token) => () => call(token)),
    ...codes.map(() => async () => ofStatus((await fromBannedNetwork(url)).status, 403)),
  ];
}

type Fault = "continue" | "restart";

interface Platform extends AsyncDisposable {
  readonly redis: RedisSentinel;
  readonly site: RedisSite;
  /** The services that are unavailable. */
  readonly away: readonly ServiceProcess[];
}

async function startPlatform(): Promise<Platform> {
  await using started = new AsyncDisposableStack();
  const redis = started.use(await spawnRedisSentinel({ sentinels: 3 }));
  const addresses = redis.sentinels.map(({ address }) => `${address.host}:${address.port}`);
  const withoutRedis = { mode: "tempfail" };
  const site = started.use(await startRedisSite({ sentinels: { master: redis.master, addresses } }, { withoutRedis }));
  // Every second replica stays.
  const [engine, , gateway, , idp, , ...others] = site.all;
  const away = [engine, gateway, idp, ...others].filter((service) => service !== undefined);
  const owned = started.move();
  return { redis, site, away, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function leave(fault: Fault, { redis: { first, sentinels }, away }: Platform): Promise<void> {
  const [sentinel, ...others] = sentinels;
  if (fault === "continue") {
    await Promise.all([sentinel, ...away].map(async (server) => server && pause(server)));
    // They are cut off, and never read what is announced from now on.
    for (const { address } of others)
      await run("redis-cli", ["-p", String(address.port), "client", "kill", "type", "pubsub"]);
    await pause(first);
    return;
  }
  await pause(first);
  await sentinel?.stop();
  for (const service of away) {
    const ended = once(service.process, "exit");
    service.signal("SIGKILL");
    await ended;
  }
}

const listens = (url: string): Promise<boolean> =>
  fetch(`${url}/`).then(
    () => true,
    () => false,
  );

/** Lets the hosts return. Those that restart ask a sentinel that knows the old primary only, which continues when they have done so. */
async function comeBack(
  fault: Fault,
  { redis: { first, sentinels }, site: { oidc, urls }, away }: Platform,
  owned: AsyncDisposableStack,
): Promise<readonly Promise<unknown>[]> {
  const [sentinel] = sentinels;
  if (fault === "continue") {
    for (const server of [first, sentinel, ...away]) server?.signal("SIGCONT");
    return away.map((service) => untilReady(service));
  }
  if (sentinel !== undefined) owned.use(await sentinel.startAfresh());
  const { stack } = oidc;
  const starting = (["auth-engine", "gateway", "idp", "admin", "jobs-worker"] as const).map((name) =>
    stack.start(name),
  );
  await poll("the listeners", async () => (await listens(urls[0])) && (await listens(stack.idpUrl)), 60_000);
  first.signal("SIGCONT");
  return starting;
}

test.each(["continue", "restart"] as const)(
  "a gateway, an engine, idp, admin, a worker and a sentinel %s together with the old primary: no code is redeemed twice, no revoked token is active, no ban is let through",
  async (fault) => {
    await using platform = await startPlatform();
    await using owned = new AsyncDisposableStack();
    const { redis, site } = platform;
    const issued = await issue(redis, site);
    await leave(fault, platform);
    const others = redis.sentinels.slice(1);
    await poll(
      "the new primary",
      async () =>
        (await Promise.all(others.map((one) => one.primaryPort()))).every((port) => port === redis.second.port),
      60_000,
    );
    await followed(site, issued);
    await useUp(site, issued);

    let undecided = 0;
    const ask = (question: () => Promise<Verdict>): Promise<Verdict> =>
      poll(
        "an answer",
        async () => {
          const verdict = await question().catch(() => undefined);
          if (verdict === undefined) undecided += 1;
          return verdict;
        },
        120_000,
      );
    // The first questions wait at the hosts when these continue.
    const asking = Promise.all(questions(site, issued).map(ask));
    const returned = await comeBack(fault, platform, owned);
    const verdicts = await asking;
    showFigures(`hosts ${fault}`, { answers: verdicts.length, undecided });
    expect(verdicts.filter((verdict) => verdict !== "right")).toEqual([]);
    await Promise.all(returned);
  },
);

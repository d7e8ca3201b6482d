import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ChildServer, freePort, poll, scratchFolder, spawnHaproxy, spawnNginx } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { makeCertificate } from "../../support/certificates.ts";
import { basicAuth, type Replica, type Stack, startStack } from "../../support/stack.ts";
import type { Tree } from "../../support/stack-config.ts";
import { repository } from "./nginx-setting.ts";
import { ask, client, drain, type Headers, lookUp } from "./through-proxy.ts";

const shipped = (file: string): Promise<string> => readFile(join(repository, "deploy", file), "utf8");

/** What HAProxy checks: the private listeners, which have ports of their own here. */
function checkPrivately(config: string, { stack, second }: Pick<Site, "stack" | "second">): string {
  return [stack.gateway, second.process].reduce(
    (done, { privatePort }, index) =>
      done.replaceAll(new RegExp(`(?<=server  gateway${index + 1} )\\S+`, "g"), `$& port ${privatePort}`),
    config,
  );
}

/** The addresses of both gateways in the shipped files, replaced by those of the test. */
function replaceGateways(config: string, fronts: readonly string[], backs: readonly string[]): string {
  return [11, 12].reduce(
    (done, host, index) =>
      done
        .replaceAll(`192.0.2.${host}:9081`, fronts[index] ?? "")
        .replaceAll(`192.0.2.${host}:9080`, backs[index] ?? ""),
    config,
  );
}

interface Site extends AsyncDisposable {
  readonly stack: Stack;
  readonly second: Replica;
  readonly fronts: readonly string[];
  readonly backs: readonly string[];
}

/** Two gateways, each with both channels. */
async function startSite(http: Tree): Promise<Site> {
  const fronts = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const stack = await startStack({
    shape: "five",
    redis: true,
    settings: {
      runtime: {
        servers: { http: { ...http, frontend_address: fronts.slice(0, 1) } },
        // The slow requests of these tests need this long.
        timeouts: { shutdown_delay: "1s", shutdown_grace: "60s" },
      },
    },
  });
  const second = await stack.startReplica("gateway", {
    SERVICE_RUNTIME_SERVERS_HTTP_FRONTEND_ADDRESS: fronts[1] ?? "",
  });
  const backs = [stack.url, second.url].map((url) => new URL(url).host);
  return { stack, second, fronts, backs, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
}

/** Whether requests succeed, sooner or later, while one of the two gateways is frozen. */
async function survives({ second }: Site, url: string): Promise<boolean> {
  second.process.signal("SIGSTOP");
  try {
    return await poll("the frozen gateway to be left out", async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => ask(url).catch(() => undefined)));
      return answers.every((answer) => answer?.status === 200);
    });
  } finally {
    second.process.signal("SIGCONT");
  }
}

const forged = { "x-forwarded-for": "203.0.113.66", "x-real-ip": "203.0.113.66" };

/** What a proxy sends that the test replaces, from the proxy's address. */
interface Replayed {
  readonly headers: Headers;
  readonly from: string;
}

/** The address that the gateway logs for a lookup; without other headers, its caller tries to name another one. */
async function addressOf(site: Site, back: string, username: string, replayed?: Replayed): Promise<unknown> {
  const headers = {
    authorization: basicAuth,
    "content-type": "application/json",
    ...(replayed?.headers ?? forged),
  };
  const body = JSON.stringify({ username, protocol: "imap" });
  expect((await ask(`${back}/api/v1/auth/json?mode=no-auth`, headers, body, replayed?.from)).status).toBe(403);
  const line = await poll("the log line", () =>
    [site.stack.gateway, site.second.process]
      .flatMap((gateway) => gateway.output().split("\n"))
      .find((entry) => entry.includes(`"${username}"`)),
  );
  return JSON.parse(line).client_ip;
}

let folder: Awaited<ReturnType<typeof scratchFolder>>;
beforeAll(async () => {
  folder = await scratchFolder();
  await makeCertificate(folder.path, "login", "/CN=login.example.test");
});
afterAll(() => folder[Symbol.asyncDispose]());

describe("HAProxy with deploy/haproxy", () => {
  let site: Site;
  let haproxy: ChildServer;
  let pages: string;
  let back: string;

  beforeAll(async () => {
    const { haproxy_v2 } = parse(await shipped("haproxy/postern.yaml")).runtime.servers.http;
    site = await startSite({ haproxy_v2, trusted_proxies: ["127.0.0.1"] });
    const [pagesPort, backPort] = [await freePort(), await freePort()];
    const pem = join(folder.path, "login.pem");
    const parts = await Promise.all(
      ["login.crt", "login.key"].map((name) => readFile(join(folder.path, name), "utf8")),
    );
    await writeFile(pem, parts.join(""));
    const config = replaceGateways(checkPrivately(await shipped("haproxy/haproxy.cfg"), site), site.fronts, site.backs)
      .replace("bind :443", `bind 127.0.0.1:${pagesPort}`)
      .replace("bind :9080", `bind 127.0.0.1:${backPort}`)
      .replace("/etc/haproxy/login.pem", pem);
    haproxy = await spawnHaproxy({ config, port: backPort });
    pages = `https://127.0.0.1:${pagesPort}`;
    back = `http://127.0.0.1:${backPort}`;
  });
  afterAll(async () => {
    await haproxy[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  test("a decision is logged with the mail server's address, and the pages are served over TLS", async () => {
    expect(await addressOf(site, back, "behind-haproxy")).toBe(client);
    expect(await ask(`${pages}/ping`)).toEqual({ status: 200, body: "pong" });
    expect((await ask(`${pages}/ping?SAMLRequest=${"a".repeat(20_000)}`)).status).toBe(200);
  });

  test("version 1 of the PROXY protocol names the address too", async () => {
    const port = await freePort();
    const config = replaceGateways(checkPrivately(await shipped("haproxy/haproxy.cfg"), site), site.fronts, site.backs)
      .replace(
        "bind :443 ssl crt /etc/haproxy/login.pem alpn h2,http/1.1 ssl-min-ver TLSv1.2",
        `bind 127.0.0.1:${await freePort()}`,
      )
      .replace("bind :9080", `bind 127.0.0.1:${port}`)
      .replaceAll("send-proxy-v2", "send-proxy");
    await using _ = await spawnHaproxy({ config, port });
    expect(await addressOf(site, `http://127.0.0.1:${port}`, "behind-haproxy-v1")).toBe(client);
  });

  test("requests succeed soon after a gateway freezes", async () => {
    expect(await survives(site, `${pages}/ping`)).toBe(true);
    expect(await survives(site, `${back}/ping`)).toBe(true);
  });

  /** Beyond several of HAProxy's checks. */
  async function whileChecked(during: () => Promise<void>): Promise<string> {
    const before = haproxy.output().length;
    const until = performance.now() + 4000;
    await poll("several checks", async () => {
      await during();
      return performance.now() > until;
    });
    return haproxy.output().slice(before);
  }

  test("no gateway is left out while Redis hangs", async () => {
    await poll("both gateways to be up", async () => (await ask(`${back}/ping`)).status === 200);
    site.stack.redis?.signal("SIGSTOP");
    try {
      const notices = await whileChecked(async () => {
        expect((await ask(`${back}/ping`)).status).toBe(200);
      });
      expect(notices).not.toMatch(/is DOWN|is stopping/);
    } finally {
      site.stack.redis?.signal("SIGCONT");
    }
  });

  test("without NATS all gateways are used, so that their temporary failures arrive", async () => {
    await site.stack.nats.stop();
    await poll("HAProxy to leave both out", () => /backchannel\/gateway1 is stopping/.test(haproxy.output()));
    const headers = { authorization: basicAuth, "content-type": "application/json" };
    await whileChecked(async () => {
      const { status, body } = await ask(`${back}/api/v1/auth/json?mode=no-auth`, headers, lookUp);
      expect([status, Object.keys(JSON.parse(body))]).toEqual([500, ["error"]]);
    });
    await site.stack.startNats();
    await poll(
      "decisions",
      async () => (await ask(`${back}/api/v1/auth/json?mode=no-auth`, headers, lookUp)).status === 403,
    );
  });

  test("a gateway that stops finishes what it has begun, and no new request is lost", async () => {
    const statuses = await drain(site.second, back);
    expect(new Set(statuses)).toEqual(new Set([200, 403]));
  });
});

describe("nginx with deploy/nginx/pages.conf", () => {
  let site: Site;
  let nginx: ChildServer;
  let pages: string;
  let back: string;

  beforeAll(async () => {
    site = await startSite({ trusted_proxies: ["127.0.0.1"] });
    const [port, backPort] = [await freePort(), await freePort()];
    const config = replaceGateways(await shipped("nginx/pages.conf"), site.fronts, site.backs)
      .replace("listen 443", `listen 127.0.0.1:${port}`)
      .replace("listen 9080", `listen 127.0.0.1:${backPort}`)
      .replaceAll("/etc/nginx/pages/", `${folder.path}/`);
    nginx = await spawnNginx({ config, port });
    pages = `https://127.0.0.1:${port}`;
    back = `http://127.0.0.1:${backPort}`;
  });
  afterAll(async () => {
    await nginx[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  test("a page is served, even with long query strings", async () => {
    expect(await ask(`${pages}/ping`, { host: "login.example.test" })).toEqual({ status: 200, body: "pong" });
    expect((await ask(`${pages}/ping?SAMLRequest=${"a".repeat(20_000)}`)).status).toBe(200);
  });

  test("a decision is logged with the mail server's address, and a forged one is replaced", async () => {
    expect(await addressOf(site, back, "behind-nginx")).toBe(client);
    expect((await ask(`${pages}/healthz`)).status).toBe(200);
  });

  test("requests succeed while a gateway stops, and after it has stopped", async () => {
    expect(new Set(await drain(site.second, back))).toEqual(new Set([200, 403]));
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(`${pages}/ping`)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  });
});

/** What Traefik adds to a request; the names and their spelling are those of its version 3. */
const traefikHeaders = (host: string, port: string): Headers => ({
  Host: host,
  "User-Agent": "curl/7.88.1",
  Accept: "*/*",
  "X-Forwarded-For": client,
  "X-Forwarded-Host": host,
  "X-Forwarded-Port": port,
  "X-Forwarded-Proto": port === "443" ? "https" : "http",
  "X-Forwarded-Server": "proxy.example.test",
  "X-Real-Ip": client,
  "Accept-Encoding": "gzip",
});

describe("requests as Traefik sends them with deploy/traefik", () => {
  const from = "127.0.0.1";
  let site: Site;

  beforeAll(async () => {
    site = await startSite({ trusted_proxies: [from] });
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test("its health check succeeds at each server that postern.yaml names", async () => {
    const { services } = parse(replaceGateways(await shipped("traefik/postern.yaml"), site.fronts, site.backs)).http;
    const checks = ["postern-pages", "postern-backchannel"].flatMap((name) => {
      const { servers, healthCheck } = services[name].loadBalancer;
      return servers.map(({ url }: { readonly url: string }) => `${url}${healthCheck.path}`);
    });
    expect(checks).toHaveLength(4);
    const answers = await Promise.all(
      checks.map((url) => ask(url, { "User-Agent": "Go-http-client/1.1" }, undefined, from)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test("a page is served, even with long query strings", async () => {
    const headers = traefikHeaders("login.example.test", "443");
    const page = `http://${site.fronts[0]}/ping`;
    expect(await ask(page, headers, undefined, from)).toEqual({ status: 200, body: "pong" });
    expect((await ask(`${page}?SAMLRequest=${"a".repeat(20_000)}`, headers, undefined, from)).status).toBe(200);
  });

  test("a decision is logged with the mail server's address, and with the peer's if the peer is not listed", async () => {
    const headers = traefikHeaders("gateway.example.test:9080", "9080");
    const back = `http://${site.backs[0]}`;
    expect(await addressOf(site, back, "behind-traefik", { headers, from })).toBe(client);
    const other = { headers: { ...headers, ...forged }, from: client };
    expect(await addressOf(site, back, "beside-traefik", other)).toBe(client);
  });
});

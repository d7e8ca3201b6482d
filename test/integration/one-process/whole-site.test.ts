import { readdirSync } from "node:fs";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { createBrowser } from "../../support/browser.ts";
import { startLoad } from "../../support/load.ts";
import { callback } from "../../support/oidc-stack.ts";
import type { ServiceName } from "../../support/service-process.ts";
import { type Stack, startStack } from "../../support/stack.ts";

const names: readonly ServiceName[] = ["gateway", "auth-engine", "idp", "admin", "jobs-worker"];
let stack: Stack;
let temporary: AsyncDisposable & { readonly path: string };

beforeAll(async () => {
  temporary = await scratchFolder();
  const httpPort = await freePort();
  stack = await startStack({
    shape: "one",
    httpPort,
    redis: true,
    services: ["idp", "admin", "jobs-worker"],
    env: { TMPDIR: temporary.path },
    settings: {
      runtime: { servers: { http: { rate_limit: { per_second: 10_000, burst: 10_000 } } } },
      auth: {
        controls: {
          enabled: ["brute_force"],
          brute_force: {
            buckets: [{ name: "net", period: "1h", ban_time: "1h", cidr: 24, failed_requests: 10_000, ipv4: true }],
            account_delay: { enabled: false },
          },
        },
      },
      identity: {
        frontend: { enabled: true },
        oidc: {
          enabled: true,
          issuer: `http://127.0.0.1:${httpPort}`,
          clients: [{ client_id: "first", redirect_uris: [callback], scopes: ["openid"], skip_consent: true }],
        },
      },
    },
  });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await temporary[Symbol.asyncDispose]();
});

function serviceOf(name: ServiceName) {
  const service = stack.services.get(name);
  if (service === undefined) throw new Error(`${name} was not started`);
  return service;
}

const lines = (): readonly Readonly<Record<string, unknown>>[] =>
  stack.gateway
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

/** The services that have logged this message, each as often as it has. */
const loggedBy = (message: string): readonly unknown[] =>
  lines()
    .filter(({ msg }) => msg === message)
    .map(({ service }) => service);

const memory = async () => (await askJson(stack.url, alice)).headers.get("x-service-memory-cache");

async function reportedStates(): Promise<object> {
  const { body } = await askAdmin(stack, "GET", "/api/v1/console/system");
  const services: readonly { readonly service: ServiceName; readonly state: string }[] = Object(body["services"]);
  return Object.fromEntries(services.map(({ service, state }) => [service, state]));
}

describe("one process without NATS", () => {
  test("is one process, in which every service is ready at a private listener of its own", async () => {
    expect(new Set(names.map((name) => serviceOf(name).pid)).size).toBe(1);
    expect(await Promise.all(names.map((name) => serviceOf(name).readiness()))).toEqual([200, 200, 200, 200, 200]);
  });

  test("decides, and counts failures", async () => {
    expect((await askJson(stack.url, alice)).status).toBe(200);
    expect((await askJson(stack.url, alice)).status).toBe(200);
    expect((await askJson(stack.url, { ...alice, password: "wrong" })).status).toBe(403);
    expect((await askJson(stack.url, { ...alice, username: "unknown" })).status).toBe(403);
  });

  test("signs users in to applications", async () => {
    const browser = createBrowser([stack.url]);
    const request = { response_type: "code", client_id: "first", redirect_uri: callback, scope: "openid", state: "s" };
    const challenge = {
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    };
    const page = await browser.open(`/oidc/authorize?${new URLSearchParams({ ...request, ...challenge }).toString()}`);
    const { location = "" } = await browser.submit(page, { username: alice.username, password: alice.password });
    const landed = await browser.open(location.replace(stack.url, ""));
    expect(landed.location).toContain(`${callback}?code=`);
  });

  test("rejects what does not come through the gateway, like services apart", async () => {
    for (const url of [stack.idpUrl, stack.adminUrl])
      expect((await fetch(`${url}/api/v1/config/load`)).status).toBe(401);
  });

  test("a flush reaches the engine at once, and a job the worker", async () => {
    await memory();
    expect(await memory()).toBe("Hit");
    expect((await askAdmin(stack, "DELETE", "/api/v1/cache/flush", { body: { user: alice.username } })).status).toBe(
      200,
    );
    expect(await memory()).toBe("Miss");
    const queued = await askAdmin(stack, "DELETE", "/api/v1/cache/flush/async", { body: { user: alice.username } });
    expect(queued.status).toBe(202);
    const { jobId } = Object(queued.body["result"] ?? queued.body);
    await poll("the job to be done", async () =>
      (await askAdmin(stack, "GET", `/api/v1/async/jobs/${jobId}`)).text.includes("DONE"),
    );
  });

  test("exposes the metrics of the process once, and those of each service at its own listener", async () => {
    const pages = await Promise.all(names.map((name) => serviceOf(name).metrics()));
    expect(pages.map((page) => page.includes("process_resident_memory_bytes"))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    for (const page of pages) expect(page).toContain("service_config_reloads_total");
  });

  test("the gateway reaches the other services by sockets in a folder that only their user may enter", () => {
    const [folder = ""] = readdirSync(temporary.path);
    expect(folder).toMatch(/^postern-/u);
    expect(readdirSync(`${temporary.path}/${folder}`).toSorted()).toEqual(["admin", "idp"]);
  });

  test("operators see the report of every service", async () => {
    // A check that has not ended within 200 ms, as on a busy machine, is reported as failed.
    await expect.poll(reportedStates).toEqual(Object.fromEntries(names.map((name) => [name, "up"])));
  });

  test("every log line names its service; those about the process as a whole precede them", () => {
    const services = lines().map(({ service }) => service);
    const first = services.findIndex((name) => name !== "postern");
    expect(new Set(services.slice(first))).toEqual(new Set(names));
  });

  test("SIGHUP reloads all services, or none", async () => {
    await stack.writeSettings({ observability: { log: { level: "debug" } } });
    stack.gateway.signal("SIGHUP");
    await poll("the reload", () => loggedBy("configuration reloaded").length === 5);
    expect(new Set(loggedBy("configuration reloaded"))).toEqual(new Set(names));
    await stack.writeConfig("runtime: [");
    stack.gateway.signal("SIGHUP");
    const refused = "configuration refused; the previous one stays in effect";
    await poll("the refusal", () => loggedBy(refused).length === 5);
    expect(new Set(loggedBy(refused))).toEqual(new Set(names));
    expect((await askJson(stack.url, alice)).status).toBe(200);
  });

  test("SIGTERM stops the gateway first, and no request is lost", async () => {
    await using load = startLoad(stack.url);
    await poll("requests under load", () => load.answered() > 300);
    stack.gateway.signal("SIGTERM");
    expect(await stack.gateway.stop()).toBe(0);
    const surprises = await load.stop();
    // New connections are refused; requests on open ones are answered.
    expect(
      surprises.filter(
        ({ status, detail }) => status !== 0 || !/ECONNREFUSED|ECONNRESET|other side closed/u.test(detail),
      ),
    ).toEqual([]);
    expect(new Set(loggedBy("stopped"))).toEqual(new Set(names));
    expect(loggedBy("shutdown step took too long")).toEqual([]);
    expect(readdirSync(temporary.path)).toEqual([]);
  });
});

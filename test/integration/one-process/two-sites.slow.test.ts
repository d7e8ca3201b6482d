import { poll } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { type LoadRequest, lookUp, startLoad } from "../../support/load.ts";
import { enginesHeard, type SiteProcess, startSiteProcess } from "../../support/site-process.ts";
import { type Stack, startStack } from "../../support/stack.ts";

const wrong: LoadRequest = { name: "wrong", body: { ...alice, password: "wrong" }, right: 403 };
/** The same machine, on which both processes have ports of their own. */
let stack: Stack;

let first: Pick<SiteProcess, "url" | "gateway">;
let second: SiteProcess;

/** Another process of the whole site, with the same configuration and other ports. */
const startAnother = (env: Readonly<Record<string, string>> = {}): Promise<SiteProcess> =>
  startSiteProcess({ configFile: stack.configFile, env });

beforeAll(async () => {
  stack = await startStack({
    shape: "one",
    joinsNats: true,
    redis: true,
    services: ["idp", "admin", "jobs-worker"],
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
    },
  });
  first = { url: stack.url, gateway: stack.gateway };
  second = await startAnother();
});

beforeEach(async () => {
  await enginesHeard(first, 2);
  await enginesHeard(second, 2);
});

afterAll(async () => {
  await second.gateway.stop();
  await stack[Symbol.asyncDispose]();
});

const requests = [lookUp, lookUp, lookUp, wrong];

const memory = async () => (await askJson(second.url, alice)).headers.get("x-service-memory-cache");

test("a flush on one machine reaches the engine of the other one", async () => {
  await memory();
  expect(await memory()).toBe("Hit");
  expect((await askAdmin(first, "DELETE", "/api/v1/cache/flush", { body: { user: alice.username } })).status).toBe(200);
  await poll("the flush to arrive", async () => (await memory()) === "Miss");
});

test("while one process is frozen, the other one decides all that it is asked", async () => {
  await using load = startLoad(first.url, { requests });
  await poll("requests under load", () => load.answered() > 200);
  second.gateway.signal("SIGSTOP");
  await enginesHeard(first, 1);
  const atSilence = load.answered();
  await poll("the other one to continue", () => load.answered() > atSilence + 500);
  second.gateway.signal("SIGCONT");
  expect(await load.stop()).toEqual([]);
});

test("without NATS, both processes stay ready and decide", async () => {
  await using load = startLoad(first.url, { requests });
  await using other = startLoad(second.url, { requests });
  await poll("requests under load", () => load.answered() > 100 && other.answered() > 100);
  await stack.nats.stop();
  await poll("the loss to be noticed", async () => {
    const report = await fetch(`http://127.0.0.1:${first.gateway.privatePort}/readyz`);
    return (await report.text()).includes('"bus":"down"');
  });
  expect(await Promise.all([first.gateway.readiness(), second.gateway.readiness()])).toEqual([200, 200]);
  const [before, otherBefore] = [load.answered(), other.answered()];
  await poll("both to continue", () => load.answered() > before + 500 && other.answered() > otherBefore + 500);
  await stack.startNats();
  await enginesHeard(first, 2);
  expect(await load.stop()).toEqual([]);
  expect(await other.stop()).toEqual([]);
});

test("a process that is killed costs the other one nothing, and its successor joins it", async () => {
  await using load = startLoad(first.url, { requests });
  await poll("requests under load", () => load.answered() > 200);
  second.gateway.signal("SIGKILL");
  await enginesHeard(first, 1);
  second = await startAnother();
  await enginesHeard(first, 2);
  expect(await load.stop()).toEqual([]);
});

test("an engine at its limit leaves requests to that of the other process", async () => {
  await using limited = await startAnother({ SERVICE_RUNTIME_BUS_MAX_IN_FLIGHT: "1" });
  await enginesHeard(limited, 3);
  await using load = startLoad(limited.url, { requests, loops: 16 });
  await poll("requests under load", () => load.answered() > 500);
  expect(await load.stop()).toEqual([]);
  await limited.gateway.stop();
  await enginesHeard(first, 2);
});

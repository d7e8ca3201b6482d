import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { startCaptureServer } from "../../support/capture-server.ts";
import { askDialect } from "../../support/dialects.ts";
import type { ServiceProcess } from "../../support/service-process.ts";
import { settledOrder } from "../../support/settled-order.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { demoBackends } from "../../support/stack-config.ts";
import { stageScripts } from "./stage-scripts.ts";

const salt = Buffer.from("pepper-and-salt!");
const digest = createHash("sha256").update("lua-password").update(salt).digest();
const stored = `{SSHA256}${Buffer.concat([digest, salt]).toString("base64")}`;

let owned: AsyncDisposableStack;
let stack: Stack;
let folder: string;
let target: Awaited<ReturnType<typeof startCaptureServer>>;

const path = (name: string): string => join(folder, name);
const hook = (location: string, more: object = {}) => ({
  http_location: location,
  http_method: "GET",
  script_path: path("hook.lua"),
  ...more,
});
const controls = () => ({
  environment: [{ name: "environment", script_path: path("environment.lua") }],
  subject: [{ name: "subject", script_path: path("subject.lua") }],
  actions: [{ type: "post", name: "webhook", script_path: path("action.lua") }],
  hooks: [
    hook("hello", { public: true }),
    hook("hello", { public: true, http_method: "POST" }),
    hook("back"),
    hook("people", { script_path: path("people.lua") }),
    hook("scoped", { scopes: ["service:security"] }),
    hook("off", { public: true, enabled: false }),
  ],
});

async function writeScript(name: string, text: string): Promise<void> {
  await writeFile(path(name), text);
}

beforeAll(async () => {
  await using starting = new AsyncDisposableStack();
  folder = starting.use(await scratchFolder()).path;
  target = starting.use(await startCaptureServer(await freePort(), 200));
  await mkdir(path("lib"));
  for (const [name, text] of Object.entries(stageScripts)) {
    await writeScript(name, text.replace("TARGET", `127.0.0.1:${target.port}`).replace("HASH", stored));
  }
  stack = starting.use(
    await startStack({
      redis: true,
      services: ["admin"],
      settings: {
        auth: {
          upstreams: { imap: { address: "127.0.0.1", port: 143 } },
          controls: { enabled: ["lua"], lua: controls() },
          backends: {
            ...demoBackends(folder),
            order: ["cache", "sql", "lua"],
            lua: {
              backend: {
                default: {
                  backend_script_path: path("backend.lua"),
                  init_script_paths: [path("start.lua")],
                  cache_flush_script_path: path("flush.lua"),
                  package_path: path("lib"),
                },
              },
              modules: { http: { allowed_hosts: [`127.0.0.1:${target.port}`] } },
            },
          },
        },
      },
    }),
  );
  owned = starting.move();
});

afterAll(() => owned.disposeAsync());

describe("environment scripts", () => {
  test("one denies with its message before any backend is queried", async () => {
    const answer = await askJson(stack.url, { ...alice, client_ip: "198.51.100.1" });
    expect([answer.status, answer.headers.get("auth-status")]).toEqual([403, "Not from there"]);
  });

  test.each(["throws", "loops", "hoards", "wrong"])(
    "a script that %s is a temporary failure, never a denial, and does not affect other requests",
    async (username) => {
      const bad = askJson(stack.url, { ...alice, username });
      const good = await Promise.all(Array.from({ length: 10 }, () => askJson(stack.url, alice)));
      expect(good.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
      expect((await bad).status).toBe(500);
    },
  );

  test("values that a script keeps in the cache last over several calls", async () => {
    const texts = [];
    for (let count = 0; count < 3; count += 1) {
      texts.push((await askJson(stack.url, { ...alice, username: "counts" })).headers.get("auth-status"));
    }
    expect(texts).toEqual(["1", "2", "3"]);
  });
});

const flush = (user: string) => askAdmin(stack, "DELETE", "/api/v1/cache/flush", { body: { user } });
const memory = async () => (await askJson(stack.url, alice)).headers.get("x-service-memory-cache");

describe("the script of flushes", () => {
  const kept = `postern:script:{${createHash("sha256").update("counts").digest("base64url")}}`;

  test("names further accounts and keys of scripts: all of them are deleted, and only existing ones are reported", async () => {
    await askJson(stack.url, { ...alice, username: "counts" });
    await poll("a cached response", async () => (await memory()) === "Hit");
    const { status, body } = await flush("crm-77");
    expect([status, body]).toMatchObject([200, { result: { user: "crm-77", status: "2 keys flushed" } }]);
    expect(body).toMatchObject({ result: { removed_keys: expect.arrayContaining([kept]) } });
    await poll("the engine's memory to be cleared", async () => (await memory()) === "Miss");
    expect((await flush("nobody-of-ours")).body).toMatchObject({ result: { removed_keys: [], status: "not flushed" } });
  });

  test("is reported in the status if it fails", async () => {
    const status = "not flushed; the site's flush script failed";
    expect((await flush("fails")).body).toMatchObject({ result: { removed_keys: [], status } });
  });
});

describe("subject scripts", () => {
  test("attributes are added and never replace a backend's; the proxy dialect returns the server that they selected", async () => {
    const answer = await askJson(stack.url, alice);
    expect(JSON.parse(answer.body)).toMatchObject({ attributes: { shard: ["s1"], mail: ["alice@example.test"] } });
    const { header } = await askDialect(stack.url, "proxy");
    expect([header("Auth-Server"), header("Auth-Port")]).toEqual(["192.0.2.77", "1993"]);
  });

  test("one denies a correct password", async () => {
    const answer = await askJson(stack.url, { ...alice, client_ip: "198.51.100.2" });
    expect([answer.status, answer.headers.get("auth-status")]).toEqual([403, "Moved"]);
  });
});

test("an action runs after the response, without the password", async () => {
  const before = target.requests.length;
  await askJson(stack.url, { ...alice, password: "not-it" });
  const seen = await poll("the action's request", () =>
    target.requests.slice(before).find(({ url }) => url === "/seen"),
  );
  expect(seen.method).toBe("POST");
});

test("start scripts run as the engine starts", async () => {
  expect(await poll("the line", () => stack.engines[0]?.output().includes("the site's scripts begin"))).toBe(true);
});

describe("the Lua backend", () => {
  const user = { ...alice, username: "lua@example.test" };
  test("verifies, denies and reports unknown users", async () => {
    const right = await askJson(stack.url, { ...user, password: "lua-password" });
    expect([right.status, JSON.parse(right.body)]).toMatchObject([200, { backend: 3, attributes: { uid: ["77"] } }]);
    expect((await askJson(stack.url, { ...user, password: "wrong" })).status).toBe(403);
    expect((await askJson(stack.url, { ...user, username: "nobody" })).status).toBe(403);
  });

  test("looks up without a password", async () => {
    expect((await askJson(stack.url, { ...user, password: "" }, { query: "?mode=no-auth" })).status).toBe(200);
  });

  test("lists its accounts", async () => {
    const listed = await fetch(`${stack.url}/api/v1/auth/json?mode=list-accounts`, {
      method: "POST",
      headers: { authorization: basicAuth, "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(user),
    });
    expect(await listed.json()).toContain("lua@example.test");
  });
});

function ask(location: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${stack.url}/api/v1/custom/${location}`, init);
}

describe("custom hooks", () => {
  test("a public one answers everyone, and receives foreign credentials", async () => {
    const answer = await ask("hello?name=bob", { headers: { authorization: "Bearer of-somebody-else" } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await answer.json()).toEqual({ hello: "bob", caller: "none", authorization: "Bearer of-somebody-else" });
  });

  test("a hook queries the databases of the backends through an engine", async () => {
    const answer = await ask("people?name=x' OR '1'='1", { headers: { authorization: basicAuth } });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { name: "x' OR '1'='1", ldap: expect.stringContaining("unknown pool default") },
    ]);
  });

  test("any media type is accepted and returned", async () => {
    const body = new Uint8Array([0, 255, 1, 254]);
    const answer = await ask("hello", { method: "POST", body, headers: { "content-type": "application/x-thing" } });
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("x-seen")]).toEqual([
      201,
      "text/plain",
      "hello",
    ]);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(body);
  });

  test("an unknown hook is 404, another method 405, a disabled hook 403, a failing script 500", async () => {
    expect((await ask("nothing")).status).toBe(404);
    expect((await ask("hello", { method: "DELETE" })).status).toBe(405);
    expect((await ask("off")).status).toBe(403);
    const failed = await ask("hello?fail=1");
    expect([failed.status, await failed.json()]).toEqual([500, { error: expect.stringMatching(/temporary/i) }]);
  });

  test("missing credentials are rejected with 401 without a delay, wrong ones as on every path; valid ones are accepted and do not reach the script", async () => {
    const wrong = ask("back", { headers: { authorization: "Basic d3Jvbmc6d3Jvbmc=" } });
    const [back, scoped] = [ask("back"), ask("scoped")];
    expect((await settledOrder({ wrong, back, scoped })).at(-1)).toBe("wrong");
    const { status, headers } = await back;
    expect([status, headers.get("www-authenticate")]).toEqual([401, expect.stringMatching(/^Basic realm=/)]);
    expect([(await scoped).status, (await wrong).status]).toEqual([401, 401]);
    const accepted = await ask("back", { headers: { authorization: basicAuth } });
    expect(await accepted.json()).toEqual({ hello: "world", caller: "basic" });
  });
});

async function reload(service: ServiceProcess | undefined, result: "applied" | "refused"): Promise<void> {
  const count = async (): Promise<number> =>
    Number(
      new RegExp(`service_config_reloads_total\\{result="${result}"\\} (\\d+)`).exec(
        (await service?.metrics()) ?? "",
      )?.[1] ?? 0,
    );
  const before = await count();
  service?.signal("SIGHUP");
  await poll(`a reload that is ${result}`, async () => (await count()) > before);
}

test("SIGHUP replaces the scripts, and keeps the old ones if the new ones do not compile", async () => {
  const engine = stack.engines[0];
  const user = { ...alice, client_ip: "198.51.100.9" };
  await writeScript(
    "environment.lua",
    `function environment(request) if request.client_ip == "198.51.100.9" then return { deny = true } end end`,
  );
  await reload(engine, "applied");
  expect((await askJson(stack.url, user)).status).toBe(403);
  await writeScript("environment.lua", "function environment(");
  await reload(engine, "refused");
  expect((await askJson(stack.url, user)).status).toBe(403);
  await poll("the reason in the log", () => engine?.output().includes("environment.lua:1:"));
});

test("compiled scripts are ended when another part of their configuration cannot be used", async () => {
  const engine = stack.engines[0];
  const threads = (): number => readdirSync(`/proc/${engine?.pid}/task`).length;
  const before = threads();
  const missing = { file: path("no-folder/directory.sqlite"), seed_file: path("no-seed.sql") };
  await stack.writeSettings({ auth: { backends: { sql: { default: missing } } } });
  // More often than threads of earlier reloads can be ending meanwhile.
  for (let round = 0; round < 3; round += 1) await reload(engine, "refused");
  await poll("as many threads as before", () => threads() <= before);
  expect((await askJson(stack.url, { ...alice, client_ip: "198.51.100.9" })).status).toBe(403);
});

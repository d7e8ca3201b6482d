import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { startCaptureServer } from "../../support/capture-server.ts";
import { type LoadRequest, startLoad } from "../../support/load.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { createTokenIssuer, type TokenIssuer } from "../../support/token-issuer.ts";

const guide = join(import.meta.dirname, "../../../docs/operate/scripts/examples");
const scripts = {
  "environment.lua": `
    function environment(request)
      if request.username == "throws" then error("no") end
      if request.username == "loops" then while true do end end
      if request.username == "backtracks" then return string.find(string.rep("a", 40000), string.rep("a*", 40) .. "b") end
      if request.username == "hoards" then local all = {} while true do all[#all + 1] = string.rep("x", 65536) .. #all end end
    end`,
  "action.lua": `
    local http = require("http")
    function action(request) if request.username == "slow" then http.request({ url = "http://SILENT/" }) end end`,
  "hook.lua": `function hook(request) return { caller = request.caller.method } end`,
};

let owned: AsyncDisposableStack;
let stack: Stack;
let issuer: TokenIssuer;
let target: Awaited<ReturnType<typeof startCaptureServer>>;

/** Accepts connections and never answers. */
async function startSilentServer(owner: AsyncDisposableStack): Promise<string> {
  const server: Server = createServer((socket) => void socket.resume().on("error", () => undefined));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  owner.defer(() => void server.close());
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return `127.0.0.1:${address.port}`;
}

beforeAll(async () => {
  await using starting = new AsyncDisposableStack();
  const { path: folder } = starting.use(await scratchFolder());
  const path = (name: string): string => join(folder, name);
  target = starting.use(await startCaptureServer(await freePort(), 200));
  issuer = await createTokenIssuer("https://idp.example.test");
  const silent = await startSilentServer(starting);
  for (const [name, text] of Object.entries(scripts)) await writeFile(path(name), text.replace("SILENT", silent));
  const webhook = await readFile(join(guide, "ban-webhook.lua"), "utf8");
  await writeFile(path("ban.lua"), webhook.replace("https://hooks.example.test", `http://127.0.0.1:${target.port}`));
  await writeFile(path("jwks.json"), JSON.stringify(issuer.jwks));
  const hook = { http_method: "GET", script_path: path("hook.lua") };
  const settings = {
    // Far longer than a busy machine needs to start a thread in place of a stuck one: only a call that is lost takes as long.
    runtime: { timeouts: { decision: "60s", lua_backend: "60s", lua_script: "60s" } },
    auth: {
      backchannel: { oidc_bearer: { enabled: true, issuer: issuer.issuer, jwks_file: path("jwks.json") } },
      controls: {
        enabled: ["brute_force", "lua"],
        brute_force: {
          protocols: ["imap"],
          buckets: [{ name: "host", period: "10m", ban_time: "1h", cidr: 32, failed_requests: 3, ipv4: true }],
        },
        lua: {
          environment: [{ name: "environment", script_path: path("environment.lua") }],
          actions: [
            { type: "brute_force", name: "ban", script_path: path("ban.lua") },
            { type: "post", name: "slow", script_path: path("action.lua") },
          ],
          hooks: [
            { ...hook, http_location: "any" },
            { ...hook, http_location: "scoped", scopes: ["service:security", "service:admin"] },
          ],
        },
      },
      backends: {
        lua: {
          backend: { default: { queue_length: 40 } },
          modules: { http: { allowed_hosts: [silent, `127.0.0.1:${target.port}`] } },
        },
      },
    },
  };
  stack = starting.use(await startStack({ redis: true, services: ["admin"], settings }));
  owned = starting.move();
});
afterAll(() => owned.disposeAsync());

async function count(name: RegExp): Promise<number> {
  const found = name.exec((await stack.engines[0]?.metrics()) ?? "");
  return Number(found?.[1] ?? 0);
}

test("scripts that loop, use too much memory, throw or cannot be interrupted do not affect other requests", async () => {
  const good: LoadRequest = { name: "good", body: alice, right: 200 };
  const bad = ["loops", "hoards", "throws", "backtracks"].map(
    (username): LoadRequest => ({ name: username, body: { ...alice, username }, right: 500 }),
  );
  expect((await askJson(stack.url, alice)).status).toBe(200);
  await using badLoad = startLoad(stack.url, { loops: 4, requests: bad });
  await using goodLoad = startLoad(stack.url, { loops: 8, requests: [good] });
  await poll("both loads", () => badLoad.answered() >= 16 && goodLoad.answered() >= 100);
  // Every request to the faulty script is a temporary failure, and every other one gets its decision.
  expect(await goodLoad.stop()).toEqual([]);
  expect(await badLoad.stop()).toEqual([]);
  expect(stack.engines.map((engine) => engine.output().includes("ready"))).toEqual([true]);
});

const guess = (password: string) => askJson(stack.url, { ...alice, password, client_ip: "198.51.100.77" });

test("an action of type brute_force runs for a blocked client, like the guide's webhook", async () => {
  let blocked = false;
  for (let attempt = 0; attempt < 8 && !blocked; attempt += 1) {
    await guess(`wrong-${attempt}`);
    blocked = (await guess(alice.password)).status !== 200;
  }
  expect(blocked).toBe(true);
  const seen = await poll("the webhook", () => target.requests.find(({ url }) => url === "/ban"));
  expect([seen.method, seen.headers["content-type"]]).toEqual(["POST", "application/json"]);
  expect(seen.headers["x-signature"]).toMatch(/^[0-9a-f]{64}$/);
});

test("actions above the limit are dropped and counted, and logins continue", async () => {
  const dropped = /service_script_runs_total\{stage="action",result="dropped"\} (\d+)/;
  const before = await count(dropped);
  const slow = await Promise.all(
    Array.from({ length: 60 }, () => askJson(stack.url, { ...alice, username: "slow" }, { query: "?mode=no-auth" })),
  );
  expect(new Set(slow.map(({ status }) => status))).toEqual(new Set([403]));
  expect((await askJson(stack.url, alice)).status).toBe(200);
  expect(await poll("dropped actions", async () => (await count(dropped)) - before)).toBeGreaterThan(0);
});

function ask(location: string, authorization: string): Promise<Response> {
  return fetch(`${stack.url}/api/v1/custom/${location}`, { headers: { authorization } });
}

const bearer = async (scope: string): Promise<string> => `Bearer ${await issuer.token({ scope })}`;

describe("hooks and access tokens for the back channel", () => {
  test("any valid token is accepted if no scope is required", async () => {
    const answer = await ask("any", await bearer("service:authenticate"));
    expect([answer.status, await answer.json()]).toEqual([200, { caller: "bearer" }]);
  });

  test("one of the scopes is sufficient, a token without them is rejected with 403, and Basic needs none", async () => {
    expect((await ask("scoped", await bearer("service:authenticate service:admin"))).status).toBe(200);
    expect((await ask("scoped", await bearer("service:authenticate"))).status).toBe(403);
    expect((await ask("scoped", basicAuth)).status).toBe(200);
  });

  test("an invalid token is rejected with 401", async () => {
    expect((await ask("any", "Bearer x.y.z")).status).toBe(401);
  });
});

import { execFile } from "node:child_process";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { lookUp, startLoad } from "../../support/load.ts";
import type { ServiceProcess } from "../../support/service-process.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { demoBackends, merged } from "../../support/stack-config.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ shape: "five" });
});

afterAll(() => stack[Symbol.asyncDispose]());

async function reloads(service: ServiceProcess, result: string): Promise<number> {
  const found = new RegExp(`service_config_reloads_total\\{result="${result}"\\} (\\d+)`).exec(await service.metrics());
  return Number(found?.[1]);
}

async function reload(service: ServiceProcess, result: "applied" | "refused" = "applied"): Promise<void> {
  const before = await reloads(service, result);
  service.signal("SIGHUP");
  await poll(`the configuration to be ${result}`, async () => (await reloads(service, result)) === before + 1);
}

function logLine(service: ServiceProcess, words: string): Promise<unknown> {
  return poll(`a line with ${words}`, () => {
    const line = service
      .output()
      .split("\n")
      .findLast((text) => text.includes(words));
    return line === undefined ? undefined : JSON.parse(line);
  });
}

function disabling(isDisabled: boolean): object {
  return { servers: { http: { disabled_endpoints: { auth_json: isDisabled } } } };
}

describe("SIGHUP at the gateway", () => {
  test("applies an API caller's new password, rejects the old one, and logs no secret", async () => {
    const password = "canary-new-backchannel-password";
    await stack.writeSettings({ auth: { backchannel: { basic_auth: { password } } } });
    await reload(stack.gateway);
    const authorization = `Basic ${Buffer.from(`backchannel:${password}`).toString("base64")}`;
    expect((await askJson(stack.url, alice, { headers: { authorization } })).status).toBe(200);
    expect((await askJson(stack.url, alice)).status).toBe(401);
    await stack.writeSettings({});
    await reload(stack.gateway);
    expect((await askJson(stack.url, alice)).status).toBe(200);
    expect(stack.gateway.output()).not.toContain(password);
  });

  test("the log level, the timeout of decisions and disabled endpoints are applied", async () => {
    await stack.writeSettings({
      observability: { log: { level: "error" } },
      runtime: { timeouts: { decision: "300ms" }, servers: { http: { disabled_endpoints: { auth_json: true } } } },
    });
    await reload(stack.gateway);
    expect((await askJson(stack.url, alice)).status).toBe(404);
    await stack.writeSettings({
      observability: { log: { level: "error" } },
      runtime: { timeouts: { decision: "300ms" } },
    });
    await reload(stack.gateway);
    await askJson(stack.url, { ...alice, username: "nobody-at-level-error" });
    stack.engines[0]?.signal("SIGSTOP");
    expect((await askJson(stack.url, alice)).status).toBe(500);
    // The old timeout is longer than the silence after which an engine counts as silent.
    expect(await stack.gateway.metrics()).toMatch(/_failed_total\{code="DEADLINE_EXCEEDED"\} [1-9]/);
    stack.engines[0]?.signal("SIGCONT");
    await stack.writeSettings({});
    await reload(stack.gateway);
    await poll("a decision", async () => (await askJson(stack.url, alice)).status === 200);
    await logLine(stack.gateway, '"outcome":"ok"');
    expect(stack.gateway.output()).not.toContain("nobody-at-level-error");
  });

  test("an invalid file changes nothing, and is logged with all its problems and counted", async () => {
    await stack.writeSettings({
      runtime: { timeouts: { decision: "soon" }, servres: {} },
      auth: { backchannel: { basic_auth: { password: "short-canary" } } },
    });
    await reload(stack.gateway, "refused");
    expect(await logLine(stack.gateway, "configuration refused")).toMatchObject({
      level: "error",
      problems: [
        expect.stringContaining("auth.backchannel.basic_auth.password"),
        expect.stringContaining("runtime.servres"),
        expect.stringContaining("runtime.timeouts.decision"),
      ],
    });
    await stack.writeConfig("{ not: [yaml");
    await reload(stack.gateway, "refused");
    expect((await askJson(stack.url, alice)).status).toBe(200);
    expect(stack.gateway.output()).not.toContain("short-canary");
    await stack.writeSettings({});
  });

  test("a changed key that requires a restart is named in a warning", async () => {
    await stack.writeSettings({ runtime: { servers: { http: { max_body_bytes: 2048 } } } });
    await reload(stack.gateway);
    expect(await logLine(stack.gateway, "need a restart")).toMatchObject({
      level: "warn",
      keys: ["runtime.servers.http.max_body_bytes"],
    });
    await stack.writeSettings({});
    await reload(stack.gateway);
  });

  test("many signals in quick succession, while an earlier configuration is still being checked, end with the last file", async () => {
    const [first, second] = [join(stack.folder, "first.pipe"), join(stack.folder, "second.pipe")];
    await promisify(execFile)("mkfifo", [first, second]);
    // Files are checked one after the other, and each check waits until the pipe is opened here.
    await stack.reloadGateway({
      runtime: { ...disabling(false), bus: { credentials_file: first } },
      storage: { redis: { roles: { cache: { tls: { enabled: true, ca_file: second } } } } },
    });
    // From here on, the gateway has read the configuration, and cannot finish before the second file.
    await (await open(first, "w")).close();
    const last = 19;
    for (let turn = 0; turn <= last; turn += 1) await stack.reloadGateway({ runtime: disabling(turn === last) });
    // Its answers show that it has met the signals.
    for (let count = 0; count < 3; count += 1) expect((await askJson(stack.url, alice)).status).toBe(200);
    await writeFile(second, "-----BEGIN CERTIFICATE-----");
    await logLine(stack.gateway, '"runtime.bus.credentials_file"');
    const isDisabled = async () => (await askJson(stack.url, alice)).status === 404;
    expect(await poll("the last file to be applied", isDisabled)).toBe(true);
    await stack.reloadGateway({});
    await poll("the restored file to be applied", async () => (await askJson(stack.url, alice)).status === 200);
  });
});

test("SIGHUP replaces an engine's backends and a gateway's timeouts without a failed request", async () => {
  const [engine] = stack.engines;
  if (engine === undefined) throw new Error("no engine");
  await using load = startLoad(stack.url, { loops: 8 });
  await poll("requests under load", () => load.answered() > 100);
  for (const [name, decision] of [
    ["second", "20s"],
    ["third", "30s"],
  ] as const) {
    const backends = merged(demoBackends(stack.folder), {
      sql: { default: { file: join(stack.folder, `${name}.sqlite`) }, search: searchReleasing(name) },
    });
    await stack.writeSettings({ auth: { backends }, runtime: { timeouts: { decision } } });
    await reload(engine);
    await reload(stack.gateway);
    const { body } = await askJson(stack.url, lookUp.body, lookUp);
    expect(JSON.parse(body).attributes).toEqual({ [name]: ["Alice Example"], account: [alice.username] });
    const before = load.answered();
    await poll("more requests", () => load.answered() > before + 100);
  }
  expect(await load.stop()).toEqual([]);
  expect(engine.output()).not.toContain("need a restart");
});

function searchReleasing(name: string): readonly object[] {
  return [
    {
      protocol: ["*"],
      cache_name: "demo",
      queries: {
        user: `SELECT username AS account, password, display_name AS ${name} FROM users WHERE username = :username`,
      },
      mapping: { account_field: "account", password_column: "password" },
      attribute: [name],
    },
  ];
}

import { execFile } from "node:child_process";
import { join } from "node:path";
import { freePort, poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ shape: "five" });
});

afterAll(() => stack[Symbol.asyncDispose]());

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function runOnce(service: string): Promise<Ended> {
  const args = [`services/${service}/dist/bundle/main.js`, "--config", stack.configFile];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: join(import.meta.dirname, "../../..") }, (error, stdout, stderr) => {
      resolve({ code: error?.code, stdout, stderr });
    });
  });
}

/** The lines that are JSON. */
function linesOf(text: string): readonly Readonly<Record<string, unknown>>[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}

test("an invalid configuration ends with exit code 78 and one JSON line on stderr for each key, and no port is opened", async () => {
  const port = await freePort();
  await stack.writeSettings({
    runtime: { servers: { http: { address: [`127.0.0.1:${port}`], max_body_bytes: -1 } }, nonsense: 1 },
    auth: { backchannel: { basic_auth: { password: "canary-x" } } },
  });
  const { code, stdout, stderr } = await runOnce("gateway");
  expect([code, stdout]).toEqual([78, ""]);
  const fatal = linesOf(stderr).filter(({ level }) => level === "fatal");
  expect(fatal.map(({ key }) => key)).toEqual([
    "auth.backchannel.basic_auth.password",
    "runtime.nonsense",
    "runtime.servers.http.max_body_bytes",
  ]);
  expect(fatal[0]).toMatchObject({ service: "gateway", reason: expect.any(String) });
  expect(stderr).not.toContain("canary-x");
  await expect(fetch(`http://127.0.0.1:${port}/ping`)).rejects.toThrow("fetch failed");
});

const search = {
  protocol: ["imap"],
  cache_name: "a",
  base_dn: "dc=test",
  mapping: { account_field: "uid" },
};
const ldap = (filter: object) => ({
  auth: {
    backends: {
      order: ["ldap"],
      ldap: { default: { server_uri: ["ldap://127.0.0.1:1"] }, search: [{ ...search, filter }] },
    },
  },
});
const pages = (frontend: object, clients: readonly object[] = []) => ({
  identity: {
    frontend: { enabled: true, ...frontend },
    oidc: { enabled: clients.length > 0, issuer: "https://login.example.test", clients },
  },
});
const hook = { auth: { controls: { lua: { hooks: [{ http_location: "a", script_path: "/nonexistent/a.lua" }] } } } };

test.each([
  ["auth-engine", ldap({ user: "(uid=%s" }), "auth.backends.ldap.search[0].filter.user"],
  ["auth-engine", ldap({ user: "(mail=*)" }), "auth.backends.ldap.search[0].filter.user"],
  ["idp", pages({ branding: { logo_file: "/nonexistent/logo.svg" } }), "identity.frontend.branding.logo_file"],
  ["idp", pages({ templates_folder: "/nonexistent" }), "identity.frontend.templates_folder"],
  ["idp", pages({}, [{ client_id: "a", redirect_uris: ["callback"], scopes: ["openid"] }]), "identity.oidc.clients[0]"],
  ["admin", hook, "auth.controls.lua.hooks[0].script_path"],
  [
    "jobs-worker",
    { runtime: { bus: { tls: { enabled: true, ca_file: "/nonexistent/ca.pem" } } } },
    "runtime.bus.tls.ca_file",
  ],
])(
  "%s ends with exit code 78 and one line that names the key, without a stack trace: %j",
  async (service, settings, key) => {
    await stack.writeSettings(settings);
    const { code, stdout, stderr } = await runOnce(service);
    expect([code, stdout]).toEqual([78, ""]);
    expect(linesOf(stderr).filter(({ level }) => level === "fatal")).toMatchObject([{ service, key }]);
    expect(stderr).not.toMatch(/\bat .*\.js:\d+/);
    if (service === "idp") expect(stderr).toMatch(/^(?:\{.*\}\n)+$/);
  },
);

test("an address in use ends with exit code 1 and one line", async () => {
  const taken = new URL(stack.url).host;
  await stack.writeSettings({ runtime: { servers: { http: { address: [taken] } } } });
  const { code, stderr } = await runOnce("gateway");
  expect(code).toBe(1);
  expect(linesOf(stderr).filter(({ level }) => level === "fatal")).toMatchObject([
    { service: "gateway", msg: "the service cannot start", err: { message: expect.stringContaining("EADDRINUSE") } },
  ]);
});

test("SIGHUP with unusable files is rejected with the key, and the old configuration stays in force", async () => {
  await stack.writeSettings(ldap({ user: "(mail=*)" }));
  const [engine] = stack.engines;
  engine?.signal("SIGHUP");
  const line = await poll("the rejection in the log", () =>
    engine
      ?.output()
      .split("\n")
      .findLast((text) => text.includes("configuration refused")),
  );
  expect(JSON.parse(line)).toMatchObject({
    problems: [expect.stringMatching(/^auth\.backends\.ldap\.search\[0\]\.filter\.user: /)],
  });
});

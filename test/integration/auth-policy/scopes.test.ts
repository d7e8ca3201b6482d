import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askPolicy, policyClient } from "../../support/auth-policy.ts";
import type { Stack } from "../../support/stack.ts";
import { createTokenIssuer, type TokenIssuer } from "../../support/token-issuer.ts";
import { startPolicyStack } from "./settings.ts";

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let issuer: TokenIssuer;
let stack: Stack;

beforeAll(async () => {
  folder = await scratchFolder();
  issuer = await createTokenIssuer("https://idp.example.test");
  const jwks_file = join(folder.path, "jwks.json");
  await writeFile(jwks_file, JSON.stringify(issuer.jwks));
  stack = await startPolicyStack({
    auth: { backchannel: { oidc_bearer: { enabled: true, issuer: issuer.issuer, jwks_file } } },
  });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function ask(command: string, body: object, scope: string) {
  return askPolicy(stack.url, command, body, `Bearer ${await issuer.token({ scope })}`);
}

test("a token with the base scope asks, reports and pings, and may not reset", async () => {
  const client = policyClient(stack.url);
  const remote = "192.0.2.80";
  await client.guess({ remote }, 10);
  const scope = "service:authenticate";
  const login = { login: "alice", remote, pwhash: "05c4" };
  expect(await ask("allow", login, scope)).toMatchObject({ http: 200, status: -1 });
  expect(await ask("report", { ...login, success: false }, scope)).toMatchObject({ http: 200, status: "ok" });
  expect(await ask("ping", {}, scope)).toMatchObject({ http: 200, status: "ok" });
  expect(await ask("reset", { ip: remote }, scope)).toMatchObject({ http: 403, status: undefined });
  // The ban remains.
  expect(await client.statusOf({ remote })).toBe(-1);
});

test.each(["service:security", "service:admin"])("a token with %s too may reset", async (more) => {
  const client = policyClient(stack.url);
  const remote = more === "service:admin" ? "192.0.2.81" : "192.0.2.82";
  await client.guess({ remote }, 10);
  expect(await client.statusOf({ remote })).toBe(-1);
  expect(await ask("reset", { ip: remote }, `service:authenticate ${more}`)).toMatchObject({ http: 200, status: "ok" });
  expect(await client.statusOf({ remote, login: "another@example.test" })).toBe(0);
});

test("the command decides which scope is needed, and a request with two commands is neither", async () => {
  const remote = "192.0.2.83";
  for (const command of ["ping&command=reset", "reset&command=ping"]) {
    expect(await ask(command, { ip: remote }, "service:authenticate")).toMatchObject({ http: 400, status: "failure" });
  }
  expect(await ask("allow", { login: "alice", remote }, "service:mfa_write")).toMatchObject({ http: 403 });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import { freePort, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { listedBackends } from "./backends.ts";
import { type Contract, createContract } from "./contract.ts";
import { type Drive, send } from "./drive.ts";
import { authDrives } from "./drives/auth.ts";
import { authPolicyDrives } from "./drives/auth-policy.ts";
import { consentDrives } from "./drives/consent.ts";
import { consoleDrives } from "./drives/console.ts";
import { devUiDrives } from "./drives/dev-ui.ts";
import { failedSignInDrives } from "./drives/failed-sign-ins.ts";
import { flushDrives } from "./drives/flush.ts";
import { hookDrives } from "./drives/hooks.ts";
import { loginDrives } from "./drives/login.ts";
import { mailClientDrives } from "./drives/mail-clients.ts";
import { mfaApiDrives } from "./drives/mfa-api.ts";
import { mfaBackchannelDrives } from "./drives/mfa-backchannel.ts";
import { oauthDrives } from "./drives/oauth.ts";
import { oidcSessionDrives } from "./drives/oidc-sessions.ts";
import { pageDrives } from "./drives/pages.ts";
import { samlDrives } from "./drives/saml.ts";
import { selfServiceDrives } from "./drives/self-service.ts";
import { signingKeyDrives } from "./drives/signing-keys.ts";
import { tokenDrives } from "./drives/tokens.ts";
import { type RegisteredRoute, registeredRoutes } from "./registered-routes.ts";
import { stackSettings, writeHook } from "./settings.ts";
import { placeOf, undocumented } from "./undocumented.ts";

const drives: readonly Drive[] = [
  ...authDrives,
  ...authPolicyDrives,
  ...flushDrives,
  ...mfaBackchannelDrives,
  ...pageDrives,
  ...tokenDrives,
  ...oauthDrives,
  ...samlDrives,
  ...oidcSessionDrives,
  ...failedSignInDrives,
  ...consoleDrives,
  ...signingKeyDrives,
  ...hookDrives,
  ...devUiDrives,
  ...loginDrives,
  ...consentDrives,
  ...selfServiceDrives,
  ...mfaApiDrives,
  ...mailClientDrives,
];
const pages = { management: "/api/v1/openapi", idp: "/.well-known/openapi" } as const;

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let stack: Stack;
let contracts: readonly Contract[];
let routes: readonly RegisteredRoute[];

async function page(path: string): Promise<string> {
  const response = await fetch(`${stack.url}${path}`, { headers: { authorization: basicAuth } });
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

beforeAll(async () => {
  folder = await scratchFolder();
  const backends = listedBackends(folder.path);
  const httpPort = await freePort();
  const settings = stackSettings(`http://127.0.0.1:${httpPort}`, await writeHook(folder.path), auditFile());
  stack = await startStack({ httpPort, redis: true, services: ["admin", "idp"], settings, backends });
  const documents = await Promise.all(Object.values(pages).map((path) => page(`${path}.json`)));
  contracts = documents.map((text) => createContract(JSON.parse(text)));
  routes = await registeredRoutes(stack.configFile);
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const auditFile = (): string => join(folder.path, "audit.log");

const operationsServed = () => contracts.flatMap((contract) => contract.operations);

test("every operation of both documents has a drive that succeeds, and every drive belongs to an operation", () => {
  const served = operationsServed().map(({ operationId }) => operationId);
  const driven = drives.filter(({ status }) => status < 400).map(({ operationId }) => operationId);
  expect([...new Set(driven)].toSorted()).toEqual(served.toSorted());
});

test("every route of the services is documented or has a reason not to be; and each reason applies", () => {
  const documented = new Set(operationsServed().map(placeOf));
  const left = routes.filter((route) => !undocumented.some(({ is }) => is(route)));
  const places = left.map(({ method, url }) => placeOf({ method, path: url }));
  expect([...new Set(places)].filter((place) => !documented.has(place))).toEqual([]);
  expect(undocumented.filter(({ is }) => !routes.some(is)).map(({ why }) => why)).toEqual([]);
  const known = new Set(routes.map(({ method, url }) => placeOf({ method, path: url })));
  const hooks = "/api/v1/custom/";
  expect([...documented].filter((place) => !known.has(place) && !place.includes(hooks))).toEqual([]);
});

test("each service registers each of its operations exactly once", () => {
  const counted = operations.map(({ family, ...rest }) => {
    const { method, url } = routeOf({ family, ...rest });
    const own = routes.filter(
      (route) => route.service === family.owner && route.url === url && route.method === method,
    );
    return [rest.operationId, own.length];
  });
  expect(counted.filter(([, count]) => count !== 1)).toEqual([]);
});

test.each(Object.values(pages))("%s is the same document as YAML and as JSON", async (path) => {
  expect(parse(await page(`${path}.yaml`))).toEqual(JSON.parse(await page(`${path}.json`)));
});

describe("requests and responses of every operation match its document", () => {
  test.each(drives)("$operationId gives $status", async ({ operationId, status, parts, breaksSchema = false }) => {
    expect(operationsServed().map((row) => row.operationId)).toContain(operationId);
    for (const contract of contracts) {
      const operation = contract.operations.find((row) => row.operationId === operationId);
      if (operation === undefined) continue;
      const filled = await parts(stack);
      expect(contract.requestFaults(operation, filled).length > 0).toBe(breaksSchema);
      const answer = await send(stack.url, operation, filled);
      expect([answer.status, contract.answerFaults(operation, answer)]).toEqual([status, []]);
    }
  });
});

const carol = "carol@example.test";
const self = { actor: carol, target: carol };
/** The audit stream names the API caller in this way. */
const byOperator = { service: "admin" };
const auditLines: readonly Readonly<Record<string, string>>[] = [
  { event: "user.login", outcome: "ok", actor: "alice@example.test", reason: "password" },
  { event: "user.login", outcome: "denied", method: "password", reason: "wrong_password" },
  { event: "user.login", outcome: "ok", actor: "bob@example.test", reason: "totp" },
  { event: "user.login", outcome: "denied", actor: "bob@example.test", method: "totp", reason: "wrong_code" },
  { event: "user.login", outcome: "ok", actor: "bob@example.test", reason: "recovery" },
  { event: "user.login", outcome: "ok", actor: "alice@example.test", reason: "passkey" },
  { event: "user.login", outcome: "denied", method: "passkey" },
  { event: "recovery_code.use", outcome: "ok", actor: "bob@example.test", target: "bob@example.test" },
  { event: "recovery_codes.create", outcome: "ok", ...self },
  { event: "recovery_codes.create", outcome: "ok", ...byOperator },
  { event: "second_factor.add", outcome: "ok", ...self, reason: "totp" },
  { event: "second_factor.add", outcome: "ok", ...self, reason: "webauthn" },
  { event: "second_factor.add", outcome: "ok", ...byOperator, target: "alice@example.test", reason: "totp" },
  { event: "second_factor.remove", outcome: "ok", ...self, reason: "totp" },
  { event: "second_factor.remove", outcome: "ok", ...self, reason: "webauthn" },
  { event: "second_factor.remove", outcome: "ok", ...self, reason: "recovery" },
  { event: "second_factor.remove", outcome: "ok", ...byOperator, reason: "webauthn" },
  { event: "app_password.create", outcome: "ok", ...self },
  { event: "app_password.delete", outcome: "ok", ...self },
  { event: "session.end", outcome: "ok", ...self, reason: "self_service" },
  { event: "session.end", outcome: "ok", ...self, reason: "logout" },
  { event: "session.end", outcome: "ok", reason: "operator" },
  { event: "session.end", reason: "operator_one" },
  { event: "consent.give", outcome: "ok", actor: "alice@example.test", target: "demo-consent" },
  { event: "consent.give", outcome: "denied", actor: "alice@example.test", target: "demo-device" },
  { event: "consent.revoke", outcome: "ok", actor: carol, target: "demo-web" },
  { event: "saml.rejected", outcome: "denied" },
];

test.each(auditLines)("the audit stream contains the requests: $event $outcome $reason", (line) => {
  const lines = readFileSync(auditFile(), "utf8").trimEnd().split("\n");
  const events = lines.map((text): unknown => JSON.parse(text));
  const found = events.filter((one) => Object.entries(line).every(([name, value]) => Object(one)[name] === value));
  const [first] = found;
  if (line["outcome"] === "ok") expect(first).toMatchObject({ actor: expect.any(String) });
  expect(first).toMatchObject({ ...line, audit: true, session: expect.any(String), client_ip: expect.any(String) });
  // A typed name that was not proved may be a password.
  if (line["event"] === "user.login" && line["actor"] === undefined) {
    expect(found.filter((one) => "actor" in Object(one))).toEqual([]);
  }
});

async function flushError(path: string): Promise<string> {
  const headers = { authorization: basicAuth, "content-type": "application/json" };
  const response = await fetch(`${stack.url}${path}`, { method: "DELETE", headers, body: "{}" });
  const { error }: { error: string } = JSON.parse(await response.text());
  return `${response.status} ${error}`;
}

test("a request that violates the document is rejected where the site configured that, and only there", async () => {
  expect(await flushError("/api/v1/cache/flush")).toBe("400 user: is missing");
  expect(await flushError("/api/v1/cache/flush/async")).toMatch(/^400 (?!body)/u);
});

describe("a query parameter that a management operation does not have is rejected", () => {
  const managing = operations.filter(
    ({ security, family, path }) =>
      security === "backchannel" && family.owner !== "gateway" && !path.startsWith("/api/v1/dev/"),
  );

  test.each(managing)("$operationId", async ({ method, path, request }) => {
    const place = { method, path };
    for (const query of [{ offset: "1" }, { Limit: "1" }]) {
      const names = Object.keys(request?.path?.properties ?? {});
      const answer = await send(stack.url, place, {
        path: Object.fromEntries(names.map((name) => [name, "x"])),
        query,
      });
      expect([answer.status, answer.bytes.toString()]).toEqual([
        400,
        expect.stringContaining(Object.keys(query)[0] ?? ""),
      ]);
    }
  });
});

test("a response that the document does not promise is a fault", async () => {
  const [management] = contracts;
  const operation = management?.operations.find(({ operationId }) => operationId === "loadConfiguration");
  if (management === undefined || operation === undefined) throw new Error("no such operation");
  const answer = await send(stack.url, operation, {});
  expect(management.answerFaults(operation, { ...answer, status: 418 })).toHaveLength(1);
  expect(management.answerFaults(operation, { ...answer, type: "text/html" })).toHaveLength(1);
  expect(management.answerFaults(operation, { ...answer, bytes: Buffer.from("{}") })).not.toEqual([]);
});

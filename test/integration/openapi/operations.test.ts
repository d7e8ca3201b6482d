import { freePort, scratchFolder } from "@postern/shared/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { listedBackends } from "./backends.ts";
import { type Contract, createContract } from "./contract.ts";
import { type Drive, send } from "./drive.ts";
import { authDrives } from "./drives/auth.ts";
import { consentDrives } from "./drives/consent.ts";
import { devUiDrives } from "./drives/dev-ui.ts";
import { flushDrives } from "./drives/flush.ts";
import { hookDrives } from "./drives/hooks.ts";
import { loginDrives } from "./drives/login.ts";
import { mfaApiDrives } from "./drives/mfa-api.ts";
import { mfaBackchannelDrives } from "./drives/mfa-backchannel.ts";
import { oauthDrives } from "./drives/oauth.ts";
import { oidcSessionDrives } from "./drives/oidc-sessions.ts";
import { pageDrives } from "./drives/pages.ts";
import { samlDrives } from "./drives/saml.ts";
import { selfServiceDrives } from "./drives/self-service.ts";
import { tokenDrives } from "./drives/tokens.ts";
import { registeredRoutes } from "./registered-routes.ts";
import { stackSettings, writeHook } from "./settings.ts";
import { placeOf, undocumented } from "./undocumented.ts";

const drives: readonly Drive[] = [
  ...authDrives,
  ...flushDrives,
  ...mfaBackchannelDrives,
  ...pageDrives,
  ...tokenDrives,
  ...oauthDrives,
  ...samlDrives,
  ...oidcSessionDrives,
  ...hookDrives,
  ...devUiDrives,
  ...loginDrives,
  ...consentDrives,
  ...selfServiceDrives,
  ...mfaApiDrives,
];
const pages = { management: "/api/v1/openapi", idp: "/.well-known/openapi" } as const;

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let stack: Stack;
let contracts: readonly Contract[];

async function page(path: string): Promise<string> {
  const response = await fetch(`${stack.url}${path}`, { headers: { authorization: basicAuth } });
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

beforeAll(async () => {
  folder = await scratchFolder();
  const backends = listedBackends(folder.path);
  const httpPort = await freePort();
  const settings = stackSettings(`http://127.0.0.1:${httpPort}`, await writeHook(folder.path));
  stack = await startStack({ httpPort, redis: true, services: ["admin", "idp"], settings, backends });
  const documents = await Promise.all(Object.values(pages).map((path) => page(`${path}.json`)));
  contracts = documents.map((text) => createContract(JSON.parse(text)));
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const operationsServed = () => contracts.flatMap((contract) => contract.operations);

test("every operation of both documents has a drive that succeeds, and no drive is for another", () => {
  const served = operationsServed().map(({ operationId }) => operationId);
  const driven = drives.filter(({ status }) => status < 400).map(({ operationId }) => operationId);
  expect([...new Set(driven)].toSorted()).toEqual(served.toSorted());
});

test("every route of the services is in a document, but for those that have a reason; and each reason holds", async () => {
  const routes = await registeredRoutes(stack.configFile);
  const documented = new Set(operationsServed().map(placeOf));
  const left = routes.filter((route) => !undocumented.some(({ is }) => is(route)));
  const places = left.map(({ method, url }) => placeOf({ method, path: url }));
  expect([...new Set(places)].filter((place) => !documented.has(place))).toEqual([]);
  expect(undocumented.filter(({ is }) => !routes.some(is)).map(({ why }) => why)).toEqual([]);
  const known = new Set(routes.map(({ method, url }) => placeOf({ method, path: url })));
  const hooks = "/api/v1/custom/";
  expect([...documented].filter((place) => !known.has(place) && !place.includes(hooks))).toEqual([]);
});

test.each(Object.values(pages))("%s is the same document as YAML and as JSON", async (path) => {
  expect(parse(await page(`${path}.yaml`))).toEqual(JSON.parse(await page(`${path}.json`)));
});

describe("every operation keeps to its document", () => {
  test.each(drives)("$operationId gives $status", async ({ operationId, status, parts, breaksSchema = false }) => {
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

async function flushError(path: string): Promise<string> {
  const headers = { authorization: basicAuth, "content-type": "application/json" };
  const response = await fetch(`${stack.url}${path}`, { method: "DELETE", headers, body: "{}" });
  const { error }: { error: string } = JSON.parse(await response.text());
  return `${response.status} ${error}`;
}

test("a request that the document refuses is refused where the site asked for that, and not elsewhere", async () => {
  expect(await flushError("/api/v1/cache/flush")).toMatch(/^400 body: /u);
  expect(await flushError("/api/v1/cache/flush/async")).toMatch(/^400 (?!body)/u);
});

test("an answer that was not promised is a fault", async () => {
  const [management] = contracts;
  const operation = management?.operations.find(({ operationId }) => operationId === "loadConfiguration");
  if (management === undefined || operation === undefined) throw new Error("no such operation");
  const answer = await send(stack.url, operation, {});
  expect(management.answerFaults(operation, { ...answer, status: 418 })).toHaveLength(1);
  expect(management.answerFaults(operation, { ...answer, type: "text/html" })).toHaveLength(1);
  expect(management.answerFaults(operation, { ...answer, bytes: Buffer.from("{}") })).not.toEqual([]);
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Execution } from "../../../tools/checks/execute.ts";
import { listedBackends } from "../../integration/openapi/backends.ts";
import { aliceTokens } from "../../integration/openapi/oidc-client.ts";
import { byScript, member, memberAt } from "../../integration/openapi/pages-browser.ts";
import { stackSettings, writeHook } from "../../integration/openapi/settings.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { configuration, type DocumentName } from "./configuration.ts";
import { readyForSchemathesis } from "./document.ts";
import { installSchemathesis, schemathesis } from "./schemathesis.ts";

const documents = { management: "/api/v1/openapi.json", idp: "/.well-known/openapi.json" } as const;

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let stack: Stack;

beforeAll(async () => {
  await installSchemathesis();
  folder = await scratchFolder();
  const httpPort = await freePort();
  const audit = join(folder.path, "audit.log");
  const settings = stackSettings(`http://127.0.0.1:${httpPort}`, await writeHook(folder.path), audit);
  const backends = listedBackends(folder.path);
  stack = await startStack({ httpPort, redis: true, services: ["admin", "idp"], settings, backends });
}, 900_000);

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** Headers of requests that Carol's browser sends from a page of the site. */
async function browserHeaders(): Promise<Readonly<Record<string, string>>> {
  const { headers = {} } = byScript(await memberAt(stack, "carol", "/mfa/totp/register"));
  return { ...headers, origin: stack.url };
}

/** The status of the account page, which redirects a signed-out browser. */
async function statusOfCarolsAccount(): Promise<number> {
  const { browser } = await member(stack, "carol");
  return (await browser.get("/mfa/register/home")).status;
}

async function served(name: DocumentName): Promise<unknown> {
  const answer = await fetch(`${stack.url}${documents[name]}`, { headers: { authorization: basicAuth } });
  return answer.json();
}

/** Runs Schemathesis with a document and the credentials of a signed-in browser, a client, a user and an API caller. */
async function runAgainst(name: DocumentName, document: unknown): Promise<Execution> {
  const browser = await browserHeaders();
  const file = join(folder.path, `${name}.json`);
  writeFileSync(file, readyForSchemathesis(document, browser["x-csrf-token"] ?? ""));
  const config = join(folder.path, `${name}.toml`);
  const { access_token: accessToken } = await aliceTokens(stack);
  writeFileSync(config, configuration({ name, headers: name === "idp" ? browser : {}, accessToken }));
  return schemathesis(["--config-file", config, "run", file, "--url", stack.url, "--no-color"], 1_500_000);
}

test.each(["management", "idp"] as const)(
  "generated requests get responses that the %s document describes",
  async (name) => {
    const { code, output } = await runAgainst(name, await served(name));
    expect([code, code === 0 ? "" : output]).toEqual([0, ""]);
    // No generated request ended the session, so all of them came from a signed-in browser.
    expect(await statusOfCarolsAccount()).toBe(200);
  },
  1_800_000,
);

test("an undocumented response is reported", async () => {
  const document = Object(await served("management"));
  const path = "/api/v1/config/load";
  const operation = { ...document.paths[path].get, responses: { 418: { description: "a teapot" } } };
  const { code, output } = await runAgainst("management", { ...document, paths: { [path]: { get: operation } } });
  expect([code, output]).toEqual([1, expect.stringContaining("Undocumented status code")]);
});

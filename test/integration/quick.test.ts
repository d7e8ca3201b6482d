import { freePort } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice } from "../support/ask-json.ts";
import { createBrowser } from "../support/browser.ts";
import { askDialect, dialects, statusesOf } from "../support/dialects.ts";
import { authMethod, grpcClient } from "../support/grpc-client.ts";
import { basicAuth, type Stack, startStack } from "../support/stack.ts";

/** What `make test-quick` runs of the integration tests: does the change still decide and sign in at all? */
let stack: Stack;
let grpcAddress: string;

beforeAll(async () => {
  grpcAddress = `127.0.0.1:${await freePort()}`;
  const [grpc, http] = [{ authority: { enabled: true, address: grpcAddress } }, { auth_basic_endpoint: true }];
  stack = await startStack({
    redis: true,
    services: ["idp"],
    settings: {
      runtime: { developer_mode: true, servers: { grpc, http } },
      auth: { upstreams: { imap: { address: "192.0.2.1", port: 143 } } },
      identity: { frontend: { enabled: true }, oidc: { issuer: "http://localhost:8080" } },
    },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

test.each(dialects)("the %s dialect accepts the correct password and denies a wrong one", async (dialect) => {
  const { success, denial } = statusesOf(dialect);
  const right = await askDialect(stack.url, dialect);
  expect([right.status, right.header("Auth-Status")]).toEqual([success, "OK"]);
  const wrong = await askDialect(stack.url, dialect, { password: "wrong" });
  expect([wrong.status, wrong.header("Auth-Status") === "OK"]).toEqual([denial, false]);
});

test("gRPC accepts the correct password and denies a wrong one", async () => {
  using client = grpcClient(grpcAddress);
  const ask = (login: object) => client.call(authMethod("Authenticate"), login, { authorization: basicAuth });
  expect((await ask(alice)).message["ok"]).toBe(true);
  expect((await ask({ ...alice, password: "wrong" })).message["ok"]).toBe(false);
});

test("a user signs in to the pages of the account", async () => {
  const browser = createBrowser([stack.idpUrl]);
  const { username, password } = alice;
  const answer = await browser.submit(await browser.open("/mfa/register/home"), { username, password });
  expect([answer.status, answer.location]).toEqual([302, "/mfa/register/home"]);
  expect((await browser.get("/mfa/register/home")).text).toContain("Alice Example");
});

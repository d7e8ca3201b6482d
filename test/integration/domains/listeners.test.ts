import { freePort } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { askDialect, basicOf, type Dialect } from "../../support/dialects.ts";
import { authMethod, grpcClient } from "../../support/grpc-client.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

const owned = new AsyncDisposableStack();
let stack: Stack;
let listener: string;
let grpc: ReturnType<typeof grpcClient>;

/** A caller that means another domain by a name without one. */
const ofOther = basicOf("other", "password-of-the-other");
const ofTwo = basicOf("two", "password-of-the-two--");

beforeAll(async () => {
  const [port, grpcPort] = [await freePort(), await freePort()];
  listener = `http://127.0.0.1:${port}`;
  const other = { name: "other", password: "password-of-the-other", default_domain: "other.test" };
  stack = owned.use(
    await startStack({
      redis: true,
      services: ["admin"],
      settings: {
        runtime: {
          servers: {
            http: {
              auth_basic_endpoint: true,
              domain_listeners: [{ address: `127.0.0.1:${port}`, default_domain: "Alias.test" }],
            },
            grpc: {
              authority: { enabled: true, address: `127.0.0.1:${grpcPort}`, default_domain: "example.test" },
            },
          },
        },
        auth: {
          domains: {
            records: [{ name: "example.test", aliases: ["alias.test"] }, { name: "other.test" }],
            default_domain: "other.test",
          },
          backchannel: {
            jwt: {
              enabled: true,
              secret_key: "test-jwt-secret-key-of-32-characters",
              directory_roles: ["authenticate"],
            },
            callers: [other, { name: "two", password: "password-of-the-two--", domains: ["other.test", "third.test"] }],
          },
        },
      },
    }),
  );
  grpc = owned.use(grpcClient(`127.0.0.1:${grpcPort}`));
});

afterAll(() => owned.disposeAsync());

const status = async (url: string, authorization: string, dialect: Dialect = "json") =>
  (await askDialect(url, dialect, { username: "alice", authorization })).status;

test.each<Dialect>(["json", "cbor", "sasl", "basic"])(
  "the default domain of a listener takes precedence over the site's: %s",
  async (dialect) => {
    expect([await status(listener, basicAuth, dialect), await status(stack.url, basicAuth, dialect)]).toEqual([
      200, 403,
    ]);
  },
);

test("the default domain of a caller takes precedence over the listener's, and the listener's widens no limit", async () => {
  expect([await status(listener, ofOther), await status(listener, ofTwo)]).toEqual([403, 403]);
});

test("a listener for gRPC has a default domain too", async () => {
  const message = { ...alice, username: "alice" };
  const [own, others] = await Promise.all(
    [basicAuth, ofOther].map((authorization) => grpc.call(authMethod("Authenticate"), message, { authorization })),
  );
  expect([own?.message["ok"], others?.message["ok"]]).toEqual([true, false]);
});

/** The status of a request for a token with alice's password. */
async function tokenAt(url: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/jwt/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "alice", password: alice.password }),
  });
  return response.status;
}

test("a user of a directory gets a token by the listener's default domain", async () => {
  expect([await tokenAt(listener), await tokenAt(stack.url)]).toEqual([200, 401]);
});

import { join } from "node:path";
import { status as grpcStatus } from "@grpc/grpc-js";
import { freePort, poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { saltedHash, usersBackends, writeUsers } from "../../support/accounts-database.ts";
import { alice } from "../../support/ask-json.ts";
import { askRaw, type RawAnswer } from "../../support/ask-raw.ts";
import { askDialect, caller, type Dialect, dialects, statusesOf } from "../../support/dialects.ts";
import { authMethod, type GrpcClient, grpcClient } from "../../support/grpc-client.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

const names = [
  "DOMAIN\\user",
  "a b@example.test",
  '"quoted"@example.test',
  "müller@bücher.example",
  "100%@example.test",
  "%41",
  "%{user}",
  "(|(uid=*))",
  "a{b}",
  "}",
  "a;b",
  "' OR 1=1 --",
  "用户@例え.test",
];
/** The password of every user. */
const password = "right horse % battery";

let stack: Stack;
let grpc: GrpcClient;

beforeAll(async () => {
  const address = `127.0.0.1:${await freePort()}`;
  stack = await startStack({
    redis: true,
    services: ["admin"],
    backends: (folder) => {
      const file = join(folder, "users.sqlite");
      writeUsers(
        file,
        names.map((name) => [name, saltedHash(password)]),
      );
      return usersBackends(file);
    },
    settings: {
      runtime: {
        servers: {
          http: { auth_basic_endpoint: true, rate_limit: { per_second: 1000, burst: 1000 } },
          grpc: { authority: { enabled: true, address } },
        },
      },
      auth: {
        upstreams: { imap: { address: "127.0.0.1", port: 143 } },
        backchannel: {
          jwt: { enabled: true, secret_key: "test-jwt-secret-key-of-32-characters", directory_roles: ["authenticate"] },
        },
      },
    },
  });
  grpc = grpcClient(address);
});

afterAll(async () => {
  grpc[Symbol.dispose]();
  await stack[Symbol.asyncDispose]();
});

interface Reply {
  readonly status: number;
  /** `Auth-User`, as UTF-8. */
  readonly user: string | undefined;
  readonly authStatus: string | undefined;
  readonly session: string | undefined;
}

function replyOf(answer: RawAnswer): Reply {
  const user = answer.header("Auth-User");
  return {
    status: answer.status,
    user: user === undefined ? undefined : Buffer.from(user, "latin1").toString("utf8"),
    authStatus: answer.header("Auth-Status"),
    session: answer.header("X-Service-Session"),
  };
}

async function ask(dialect: Dialect, username: Buffer | string, secret: string, query = ""): Promise<Reply> {
  return replyOf(await askDialect(stack.url, dialect, { username, password: secret, query }));
}

async function jwtLogin(username: string, secret: string): Promise<number> {
  const response = await fetch(`${stack.url}/api/v1/jwt/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password: secret }),
  });
  await response.arrayBuffer();
  return response.status;
}

const everyName = dialects.flatMap((dialect) => names.map((name) => [dialect, name] as const));

describe("unusual names of existing users", () => {
  test.each(everyName)("%s: %j signs in, and is denied with a wrong password", async (dialect, name) => {
    const right = await ask(dialect, name, password);
    expect([right.status, right.authStatus, right.user]).toEqual([200, "OK", name]);
    const wrong = await ask(dialect, name, "wrong");
    expect(wrong.status).toBe(statusesOf(dialect).denial);
    expect(wrong.authStatus).toBe(dialect === "cbor" ? "Invalid login or password" : "FAIL");
  });

  test.each(names)("gRPC: %j signs in", async (username) => {
    const { message } = await grpc.call(
      authMethod("Authenticate"),
      { username, password, protocol: "imap" },
      { authorization: basicAuth },
    );
    expect(message["ok"]).toBe(true);
  });

  test("all of them sign in at POST /api/v1/jwt/token, and are denied with a wrong password", async () => {
    for (const name of names) expect([name, await jwtLogin(name, password)]).toEqual([name, 200]);
    expect(await jwtLogin("a b@example.test", "wrong")).toBe(401);
  });

  test("spaces around a name are ignored", async () => {
    expect((await ask("json", "  DOMAIN\\user ", password)).status).toBe(200);
    expect((await ask("proxy", "DOMAIN\\user ", password)).authStatus).toBe("OK");
    expect(await jwtLogin("  DOMAIN\\user ", password)).toBe(200);
  });
});

const refused: readonly (readonly [string, Buffer])[] = [
  ["NUL at the end", Buffer.from("DOMAIN\\user\0")],
  ["a line break", Buffer.from("DOMAIN\r\nuser")],
  ["DEL", Buffer.from("DOMAIN\u007f")],
  ["a C1 control character", Buffer.from("DOMAIN\u0085")],
  ["only spaces", Buffer.from("  ")],
  ["more characters than a name has", Buffer.from("x".repeat(513))],
];
const notUtf8 = ["bytes that are not UTF-8", Buffer.of(0x6d, 0xfc, 0x6c)] as const;
/** A JSON or CBOR text cannot hold the bytes of `notUtf8` in one field. */
const byBytes = dialects.filter((dialect) => dialect !== "json" && dialect !== "cbor");

const everyRefusal = [
  ...dialects.flatMap((dialect) => refused.map((row) => [dialect, ...row] as const)),
  ...byBytes.map((dialect) => [dialect, ...notUtf8] as const),
];

const linesOfEngine = (): readonly string[] =>
  stack.gateway
    .output()
    .split("\n")
    .filter((line) => line.includes('"service":"auth-engine"'));

describe("impossible names", () => {
  test.each(everyRefusal)("%s: %s", async (dialect, what, name) => {
    const { status, authStatus, session } = await ask(dialect, name, password);
    if (dialect === "proxy") expect([status, authStatus]).toEqual([200, "FAIL"]);
    else expect([status, authStatus]).toEqual([400, undefined]);
    const line = await logLineOf(stack.gateway, session, "malformed request");
    expect(line).toMatchObject({ dialect: dialect === "form" ? "json" : dialect, reason: expect.any(String) });
    // In a form that cannot be read, the client address is unknown.
    const namesNobody = ["sasl", "basic"].includes(dialect) || (dialect === "form" && what === notUtf8[0]);
    expect(line["client_ip"]).toBe(namesNobody ? "127.0.0.1" : alice.client_ip);
  });

  test.each(refused)("POST /api/v1/jwt/token: %s", async (_what, name) => {
    expect(await jwtLogin(name.toString(), password)).toBe(400);
  });

  test("the log line contains protocol and name, shortened and escaped", async () => {
    const name = Buffer.from(`\u001b[31m${"x".repeat(600)}`);
    for (const dialect of dialects.filter((each) => each !== "basic")) {
      const { session } = await ask(dialect, name, password);
      const line = await logLineOf(stack.gateway, session, "malformed request");
      expect(line).toMatchObject({ protocol: "imap", username: `\\u{1b}[31m${"x".repeat(59)}…` });
    }
  });

  const modes = ["?mode=no-auth", "?mode=list-accounts"];
  const everyMode = (["json", "cbor", "header"] as const).flatMap((dialect) =>
    modes.map((mode) => [dialect, mode] as const),
  );

  test.each(everyMode)("%s%s rejects NUL too", async (dialect, mode) => {
    expect((await ask(dialect, "DOMAIN\\user\0", "", mode)).status).toBe(400);
  });

  test.each(["Authenticate", "LookupIdentity", "ListAccounts"] as const)("gRPC %s rejects NUL", async (method) => {
    const message = { username: "DOMAIN\\user\0", password, protocol: "imap" };
    const { code } = await grpc.call(authMethod(method), message, { authorization: basicAuth });
    expect(code).toBe(grpcStatus.INVALID_ARGUMENT);
  });

  test("a password that is not UTF-8 is a denial where a mail user typed it", async () => {
    const headers = [caller, ["Auth-User", "a"], ["Auth-Pass", "m%fcller"], ["Auth-Protocol", "imap"]] as const;
    const [proxy, header] = await Promise.all(
      ["proxy", "header"].map((dialect) => askRaw(stack.url, { path: `/api/v1/auth/${dialect}`, headers })),
    );
    expect([proxy?.status, proxy?.header("Auth-Status")]).toEqual([200, "FAIL"]);
    expect(header?.status).toBe(400);
  });

  test("a malformed request reaches no engine", async () => {
    expect(linesOfEngine().length).toBeGreaterThan(0);
    await ask("proxy", "never-forwarded\0", password);
    await poll("the log line", () => stack.gateway.output().includes("never-forwarded") || undefined);
    expect(linesOfEngine().join("\n")).not.toContain("never-forwarded");
  });
});

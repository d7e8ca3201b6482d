import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { status as grpcStatus } from "@grpc/grpc-js";
import { freePort, poll, scratchFolder } from "@postern/shared/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askCbor } from "../../support/ask-cbor.ts";
import { askJson } from "../../support/ask-json.ts";
import { askRaw } from "../../support/ask-raw.ts";
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

/** A hash that takes no time: these tests send many requests. */
function saltedHash(): string {
  const salt = Buffer.from("test-salt");
  const digest = createHash("sha256").update(password).update(salt).digest();
  return `{SSHA256}${Buffer.concat([digest, salt]).toString("base64")}`;
}

let stack: Stack;
let grpc: GrpcClient;
let disposeFolder: () => PromiseLike<void>;

beforeAll(async () => {
  const folder = await scratchFolder();
  disposeFolder = () => folder[Symbol.asyncDispose]();
  const file = join(folder.path, "users.sqlite");
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE users (username TEXT PRIMARY KEY, password TEXT) STRICT, WITHOUT ROWID");
  for (const name of names) database.prepare("INSERT INTO users VALUES (?, ?)").run(name, saltedHash());
  database.close();
  const address = `127.0.0.1:${await freePort()}`;
  const search = {
    protocol: ["*"],
    cache_name: "users",
    queries: {
      user: "SELECT username AS account, password FROM users WHERE username = :username",
      list_accounts: "SELECT username AS account FROM users",
    },
    mapping: { account_field: "account" },
  };
  stack = await startStack({
    redis: true,
    services: ["admin"],
    backends: { order: ["sql"], sql: { default: { file }, search: [search] } },
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
  await disposeFolder();
});

interface Reply {
  readonly status: number;
  /** `Auth-User` if the dialect has it, as UTF-8. */
  readonly user?: string | undefined;
  readonly authStatus?: string | undefined;
  readonly session: string | undefined;
}

type Ask = (name: Buffer, secret: string, mode?: string) => Promise<Reply>;

const escapes = (bytes: Buffer): string =>
  Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

async function raw(
  path: string,
  headers: readonly (readonly [string, string])[],
  { method = "POST", body = "" } = {},
): Promise<Reply> {
  const answer = await askRaw(stack.url, { path: `/api/v1/auth/${path}`, method, headers, body });
  const user = answer.header("Auth-User");
  return {
    status: answer.status,
    authStatus: answer.header("Auth-Status"),
    session: answer.header("X-Service-Session"),
    ...(user !== undefined && { user: Buffer.from(user, "latin1").toString("utf8") }),
  };
}

const caller = ["Authorization", basicAuth] as const;
const clientIp = "203.0.113.9";

/** As nginx sends it: escaped byte by byte. */
const byHeaders =
  (path: string): Ask =>
  (name, secret, mode = "") =>
    raw(path + mode, [
      caller,
      ["Auth-User", escapes(name)],
      ["Auth-Pass", escapes(Buffer.from(secret))],
      ["Auth-Protocol", "imap"],
      ["Client-IP", clientIp],
    ]);

const bodyOf = (name: Buffer, secret: string) => ({
  username: name.toString("utf8"),
  password: secret,
  protocol: "imap",
  client_ip: clientIp,
});

const sessionOf = (headers: Headers) => headers.get("x-service-session") ?? undefined;

const dialects: Readonly<Record<string, Ask>> = {
  json: async (name, secret, mode = "") => {
    const { status, headers } = await askJson(stack.url, bodyOf(name, secret), { query: mode });
    return { status, session: sessionOf(headers) };
  },
  cbor: async (name, secret, mode = "") => {
    const { status, headers } = await askCbor(stack.url, bodyOf(name, secret), { query: mode });
    return { status, session: sessionOf(headers) };
  },
  form: async (name, secret, mode = "") => {
    const body = `username=${escapes(name)}&password=${encodeURIComponent(secret)}&protocol=imap&client_ip=${clientIp}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await askJson(stack.url, body, { headers, query: mode });
    return { status: answer.status, session: sessionOf(answer.headers) };
  },
  header: byHeaders("header"),
  proxy: byHeaders("proxy"),
  sasl: (name, secret) =>
    raw("sasl", [caller, ["Content-Type", "application/x-www-form-urlencoded"]], {
      body: `username=${escapes(name)}&password=${encodeURIComponent(secret)}&protocol=imap`,
    }),
  basic: (name, secret) => {
    const credentials = Buffer.concat([name, Buffer.from(`:${secret}`)]).toString("base64");
    const headers = [
      ["Authorization", `Basic ${credentials}`],
      ["Auth-Protocol", "imap"],
    ] as const;
    return raw("basic", headers, { method: "GET" });
  },
};

async function jwtLogin(username: string, secret: string): Promise<number> {
  const response = await fetch(`${stack.url}/api/v1/jwt/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password: secret }),
  });
  await response.arrayBuffer();
  return response.status;
}

const everyName = Object.entries(dialects).flatMap(([dialect, ask]) =>
  names.map((name) => [dialect, name, ask] as const),
);

describe("unusual names of existing users", () => {
  test.each(everyName)("%s: %j signs in, and is denied with a wrong password", async (dialect, name, ask) => {
    const right = await ask(Buffer.from(name), password);
    expect(right.status).toBe(200);
    expect(right.authStatus ?? "OK").toBe("OK");
    if (right.user !== undefined) expect(right.user).toBe(name);
    const wrong = await ask(Buffer.from(name), "wrong");
    expect(wrong.status).toBe(dialect === "proxy" ? 200 : 403);
    expect(wrong.authStatus ?? "FAIL").toBe("FAIL");
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
    expect((await dialects["json"]?.(Buffer.from("  DOMAIN\\user "), password))?.status).toBe(200);
    expect((await dialects["proxy"]?.(Buffer.from("DOMAIN\\user "), password))?.authStatus).toBe("OK");
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
const byBytes = Object.entries(dialects).filter(([dialect]) => !["json", "cbor"].includes(dialect));

const everyRefusal = [
  ...Object.entries(dialects).flatMap(([dialect, ask]) => refused.map((row) => [dialect, ...row, ask] as const)),
  ...byBytes.map(([dialect, ask]) => [dialect, ...notUtf8, ask] as const),
];

describe("impossible names", () => {
  test.each(everyRefusal)("%s: %s", async (dialect, what, name, ask) => {
    const { status, authStatus, session } = await ask(name, password);
    if (dialect === "proxy") expect([status, authStatus]).toEqual([200, "FAIL"]);
    else expect([status, authStatus]).toEqual([400, undefined]);
    const line = await logLineOf(stack.gateway, session, "malformed request");
    expect(line).toMatchObject({ dialect: dialect === "form" ? "json" : dialect, reason: expect.any(String) });
    // In a form that cannot be read, the client address is unknown.
    const namesNobody = ["sasl", "basic"].includes(dialect) || (dialect === "form" && what === notUtf8[0]);
    expect(line["client_ip"]).toBe(namesNobody ? "127.0.0.1" : clientIp);
  });

  test.each(refused)("POST /api/v1/jwt/token: %s", async (_what, name) => {
    expect(await jwtLogin(name.toString(), password)).toBe(400);
  });

  test("the log line contains protocol and name, shortened and escaped", async () => {
    const name = Buffer.from(`\u001b[31m${"x".repeat(600)}`);
    for (const dialect of ["json", "cbor", "form", "header", "proxy", "sasl"]) {
      const { session } = (await dialects[dialect]?.(name, password)) ?? {};
      const line = await logLineOf(stack.gateway, session, "malformed request");
      expect(line).toMatchObject({ protocol: "imap", username: `\\u{1b}[31m${"x".repeat(59)}…` });
    }
  });

  const modes = ["?mode=no-auth", "?mode=list-accounts"];
  const everyMode = ["json", "cbor", "header"].flatMap((dialect) => modes.map((mode) => [dialect, mode] as const));

  test.each(everyMode)("%s%s rejects NUL too", async (dialect, mode) => {
    expect((await dialects[dialect]?.(Buffer.from("DOMAIN\\user\0"), "", mode))?.status).toBe(400);
  });

  test.each(["Authenticate", "LookupIdentity", "ListAccounts"] as const)("gRPC %s rejects NUL", async (method) => {
    const message = { username: "DOMAIN\\user\0", password, protocol: "imap" };
    const { code } = await grpc.call(authMethod(method), message, { authorization: basicAuth });
    expect(code).toBe(grpcStatus.INVALID_ARGUMENT);
  });

  test("a password that is not UTF-8 is a denial where a mail user typed it", async () => {
    const headers = [caller, ["Auth-User", "a"], ["Auth-Pass", "m%fcller"], ["Auth-Protocol", "imap"]] as const;
    expect(await raw("proxy", headers)).toMatchObject({ status: 200, authStatus: "FAIL" });
    expect(await raw("header", headers)).toMatchObject({ status: 400 });
  });

  test("a malformed request reaches no engine", async () => {
    const before = stack.engines[0]?.output() ?? "";
    await dialects["proxy"]?.(Buffer.from("seen-by-nobody\0"), password);
    await poll("the log line", () => stack.gateway.output().includes("seen-by-nobody") || undefined);
    expect(stack.engines[0]?.output().slice(before.length)).not.toContain("seen-by-nobody");
  });
});

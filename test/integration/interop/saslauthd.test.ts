import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ChildServer, freePort, spawnNginx } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { askRaw, type RawAnswer } from "../../support/ask-raw.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { repository } from "./nginx-setting.ts";

let stack: Stack;
let proxy: ChildServer;
let proxyUrl: string;
let formData: string;
let uri: string;

function firstMatch(text: string, pattern: RegExp): string {
  const [, found] = pattern.exec(text) ?? [];
  if (found === undefined) throw new Error(`docs/connect/saslauthd.md has no ${String(pattern)}`);
  return found;
}

beforeAll(async () => {
  const page = await readFile(join(repository, "docs/connect/saslauthd.md"), "utf8");
  formData = firstMatch(page, /^httpform_data: (.*)$/m);
  uri = firstMatch(page, /^httpform_uri: (.*)$/m);
  const basic_auth = { username: "nginx", password: "change-this-password" };
  stack = await startStack({ settings: { auth: { backchannel: { basic_auth } } } });
  const port = await freePort();
  const server = firstMatch(page, /^```nginx\n([^]*?)^```$/m)
    .replace("127.0.0.1:9081", `127.0.0.1:${port}`)
    .replace("http://127.0.0.1:9080", stack.url);
  proxy = await spawnNginx({ config: `http {\n${server}}`, port });
  proxyUrl = `http://127.0.0.1:${port}`;
});

afterAll(async () => {
  await proxy.stop();
  await stack[Symbol.asyncDispose]();
});

function escaped(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const sign = String.fromCharCode(byte);
      return /[A-Za-z0-9]/.test(sign) ? sign : `%${byte.toString(16).padStart(2, "0")}`;
    })
    .join("");
}

/** The request of saslauthd's httpform module: placeholders filled in, everything but letters and digits escaped. */
async function httpform(user: string, realm: string, password: string): Promise<RawAnswer> {
  const body = formData
    .replace("%u", escaped(user))
    .replace("%r", escaped(realm))
    .replace("%p", () => escaped(password));
  return askRaw(proxyUrl, {
    path: uri,
    headers: [
      ["User-Agent", "saslauthd"],
      ["Accept", "*/*"],
      ["Content-Type", "application/x-www-form-urlencoded"],
    ],
    body,
  });
}

test("a login with a realm, through the documented proxy", async () => {
  const answer = await httpform("alice", "example.test", alice.password);
  expect([answer.status, answer.header("Auth-Status"), answer.header("Auth-User")]).toEqual([
    200,
    "OK",
    alice.username,
  ]);
});

test("a login without a realm", async () => {
  expect((await httpform(alice.username, "", alice.password)).status).toBe(200);
});

test("a wrong password with characters that have a meaning in a form", async () => {
  const answer = await httpform("alice", "example.test", "a&b=c+d%41 ö");
  expect([answer.status, answer.header("Auth-Status"), answer.body]).toEqual([403, "FAIL", "null"]);
});

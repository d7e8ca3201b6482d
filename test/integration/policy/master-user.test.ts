/* oxlint-disable unicorn/no-thenable -- a key of the configuration is named so; it holds no function */
import { poll } from "@postern/shared/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;

const bob = { username: "bob@example.test", password: "bob-demo-password" } as const;
const carol = { username: "carol@example.test", password: "carol-demo-password" } as const;

beforeAll(async () => {
  const notCarol = {
    name: "nobody-reads-carol",
    if: {
      all: [
        { attribute: "auth.master_user.active", is: true },
        { attribute: "auth.account.name", eq: carol.username },
      ],
    },
    then: { decision: "deny" },
  };
  stack = await startStack({
    engines: 2,
    settings: {
      auth: {
        pipeline: { master_user: { enabled: true, users: [bob.username] } },
        policy: { policies: [notCarol] },
      },
    },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

async function ask(username: string, password: string): Promise<readonly [number, string | null]> {
  const { status, headers } = await askJson(stack.url, { ...alice, username, password });
  return [status, headers.get("auth-user")];
}

const asMaster = `${alice.username}*${bob.username}`;

const output = (): string => stack.engines.map((engine) => engine.output()).join("\n");

describe("a master user (auth.pipeline.master_user)", () => {
  test("opens another's account with the own password, and nothing else does", async () => {
    expect(await ask(asMaster, bob.password)).toEqual([200, alice.username]);
    expect(await ask(asMaster, alice.password)).toEqual([403, null]);
    expect(await ask(asMaster, "wrong")).toEqual([403, null]);
    expect(await ask(asMaster, "")).toEqual([403, null]);
  });

  test("the answer is the user's, attributes too", async () => {
    const { body } = await askJson(stack.url, { ...alice, username: asMaster, password: bob.password });
    expect(JSON.parse(body)).toMatchObject({ attributes: { mail: [alice.username] } });
  });

  test("a user that nobody knows is denied", async () => {
    expect(await ask(`nobody@example.test*${bob.username}`, bob.password)).toEqual([403, null]);
  });

  test("who is not on the list is no master, however good the password", async () => {
    expect(await ask(`${alice.username}*${carol.username}`, carol.password)).toEqual([403, null]);
    expect(await ask(`${alice.username}*${bob.username.toUpperCase()}`, bob.password)).toEqual([403, null]);
    expect(await ask(`${alice.username}*x*${bob.username}`, bob.password)).toEqual([403, null]);
  });

  test("a token is no master's password", async () => {
    const { status } = await askJson(stack.url, {
      ...alice,
      username: asMaster,
      password: bob.password,
      method: "oauthbearer",
    });
    expect(status).toBe(403);
  });

  test("nothing of it is kept: before and after, each opens the own account only", async () => {
    for (let round = 0; round < 4; round += 1) {
      expect(await ask(bob.username, bob.password)).toEqual([200, bob.username]);
      expect(await ask(asMaster, bob.password)).toEqual([200, alice.username]);
      expect(await ask(alice.username, bob.password)).toEqual([403, null]);
      expect(await ask(alice.username, alice.password)).toEqual([200, alice.username]);
    }
    const { headers } = await askJson(stack.url, { ...alice, username: asMaster, password: bob.password });
    expect(headers.get("x-service-memory-cache")).toBe("Miss");
  });

  test("a policy may refuse it", async () => {
    expect(await ask(`${carol.username}*${bob.username}`, bob.password)).toEqual([403, null]);
    expect(await ask(carol.username, carol.password)).toEqual([200, carol.username]);
  });

  test("a look-up takes the name as it is", async () => {
    const { status } = await askJson(stack.url, { username: asMaster, protocol: "imap" }, { query: "?mode=no-auth" });
    expect(status).toBe(403);
  });

  test("over the header-style endpoint too", async () => {
    const { status, headers } = await fetch(`${stack.url}/api/v1/auth/header`, {
      method: "POST",
      headers: {
        authorization: basicAuth,
        "auth-user": asMaster,
        "auth-pass": bob.password,
        "auth-protocol": "imap",
        "auth-method": "plain",
      },
    });
    expect([status, headers.get("auth-user")]).toEqual([200, alice.username]);
  });

  test("each is written down with both names, and no password", async () => {
    const events = (): readonly unknown[] =>
      output()
        .split("\n")
        .filter((line) => line.startsWith("{") && line.endsWith("}") && line.includes('"event":"master_user.login"'))
        .map((line): unknown => JSON.parse(line));
    const event = (outcome: string): object =>
      expect.objectContaining({ audit: true, actor: bob.username, target: alice.username, outcome });
    await poll("the audit event of the login above", () => events().length >= 12);
    expect(events()).toContainEqual(event("ok"));
    expect(events()).toContainEqual(event("denied"));
    expect(output()).not.toContain(bob.password);
  });
});

/* oxlint-disable unicorn/no-thenable -- a key of the configuration is named so; it holds no function */
import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { askDialect } from "../../support/dialects.ts";
import { type Stack, startStack } from "../../support/stack.ts";

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
  test("opens another account with the master user's password, and no other password does", async () => {
    expect(await ask(asMaster, bob.password)).toEqual([200, alice.username]);
    expect(await ask(asMaster, alice.password)).toEqual([403, null]);
    expect(await ask(asMaster, "wrong")).toEqual([403, null]);
    expect(await ask(asMaster, "")).toEqual([403, null]);
  });

  test("the response has the user's account and attributes", async () => {
    const { body } = await askJson(stack.url, { ...alice, username: asMaster, password: bob.password });
    expect(JSON.parse(body)).toMatchObject({ attributes: { mail: [alice.username] } });
  });

  test("an unknown user is denied", async () => {
    expect(await ask(`nobody@example.test*${bob.username}`, bob.password)).toEqual([403, null]);
  });

  test("a user who is not on the list is no master user, even with the correct password", async () => {
    expect(await ask(`${alice.username}*${carol.username}`, carol.password)).toEqual([403, null]);
    expect(await ask(`${alice.username}*${bob.username.toUpperCase()}`, bob.password)).toEqual([403, null]);
    expect(await ask(`${alice.username}*x*${bob.username}`, bob.password)).toEqual([403, null]);
  });

  test("an access token is not accepted as a master user's password", async () => {
    const { status } = await askJson(stack.url, {
      ...alice,
      username: asMaster,
      password: bob.password,
      method: "oauthbearer",
    });
    expect(status).toBe(403);
  });

  test("the result is not cached: before and after, each user opens only their own account", async () => {
    for (let round = 0; round < 4; round += 1) {
      expect(await ask(bob.username, bob.password)).toEqual([200, bob.username]);
      expect(await ask(asMaster, bob.password)).toEqual([200, alice.username]);
      expect(await ask(alice.username, bob.password)).toEqual([403, null]);
      expect(await ask(alice.username, alice.password)).toEqual([200, alice.username]);
    }
    const { headers } = await askJson(stack.url, { ...alice, username: asMaster, password: bob.password });
    expect(headers.get("x-service-memory-cache")).toBe("Miss");
  });

  test("a policy may deny it", async () => {
    expect(await ask(`${carol.username}*${bob.username}`, bob.password)).toEqual([403, null]);
    expect(await ask(carol.username, carol.password)).toEqual([200, carol.username]);
  });

  test("a look-up uses the name unchanged", async () => {
    const { status } = await askJson(stack.url, { username: asMaster, protocol: "imap" }, { query: "?mode=no-auth" });
    expect(status).toBe(403);
  });

  test("works with the header dialect too", async () => {
    const { status, header } = await askDialect(stack.url, "header", { username: asMaster, password: bob.password });
    expect([status, header("Auth-User")]).toEqual([200, alice.username]);
  });

  test("each login is recorded with both names, and without the password", async () => {
    const events = (): readonly unknown[] =>
      output()
        .split("\n")
        .filter((line) => line.startsWith("{") && line.endsWith("}") && line.includes('"event":"master_user.login"'))
        .map((line): unknown => JSON.parse(line));
    const event = (outcome: string): object =>
      expect.objectContaining({ audit: true, actor: bob.username, target: alice.username, outcome });
    await poll("the audit record of the login above", () => events().length >= 12);
    expect(events()).toContainEqual(event("ok"));
    expect(events()).toContainEqual(event("denied"));
    expect(output()).not.toContain(bob.password);
  });
});

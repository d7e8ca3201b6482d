import { setTimeout as delay } from "node:timers/promises";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommandCounts, commandsPerRequest, readCommandStats } from "../../../bench/measure/redis-commands.ts";
import { askJson } from "../../support/ask-json.ts";
import type { Stack } from "../../support/stack.ts";
import { passwordOf, startGuessedStack, userCount, userName } from "./guessed-stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startGuessedStack({
    cached: true,
    delay: { enabled: true },
    settings: { observability: { decision_history: { enabled: true } } },
  });
});
afterAll(() => stack[Symbol.asyncDispose]());

const indexes = Array.from({ length: userCount }, (_, index) => index);

interface SignIn {
  readonly username: string;
  readonly password: string;
  readonly client_ip: string;
}

/** Redis commands a request, those inside scripts and those that follow the answer included, in groups of 32 at once. */
async function commandsOf(signIns: readonly SignIn[], query = ""): Promise<number> {
  const port = stack.redis?.port ?? 0;
  const before = await readCommandStats(port);
  for (let first = 0; first < signIns.length; first += 32) {
    await Promise.all(
      signIns.slice(first, first + 32).map((one) => askJson(stack.url, { protocol: "imap", ...one }, { query })),
    );
  }
  let counts: CommandCounts = {};
  // What follows the answers is written within seconds: then nothing is sent for a second.
  await poll("the end of the writes", async () => {
    const last = counts;
    await delay(1000);
    counts = commandsPerRequest(before, await readCommandStats(port), signIns.length);
    return JSON.stringify(counts) === JSON.stringify(last);
  });
  const { info: _info, hello: _hello, client: _client, ping: _ping, ...used } = counts;
  return Object.values(used).reduce((sum, calls) => sum + calls, 0);
}

const own = (index: number, password: string): SignIn => ({
  username: userName(index),
  password,
  client_ip: `100.64.${index}.9`,
});
const owns = (password: (index: number) => string): readonly SignIn[] =>
  indexes.map((index) => own(index, password(index)));

/** In the order of the arguments; a number where it is above its limit, for the message. */
const above = (counts: readonly number[], limits: readonly number[]) =>
  counts.map((count, index) => (count <= (limits[index] ?? 0) ? "ok" : count));

test("the first sign-in of an account, one without a cache, and a cached one", async () => {
  const first = await commandsOf(owns(passwordOf));
  const again = await commandsOf(owns(passwordOf), "?in-memory=0&cache=0");
  await commandsOf(owns(passwordOf));
  const cached = await commandsOf(owns(passwordOf));
  expect(above([first, again, cached], [28, 8, 2])).toEqual(["ok", "ok", "ok"]);
});

test("the first wrong password of an account in a network, further ones, and those of unknown names", async () => {
  const first = await commandsOf(owns(() => "wrong"));
  const further = await commandsOf(owns(() => "wrong again"));
  const unknown = await commandsOf(
    indexes.map((index) => ({ username: `nobody${index}`, password: "x", client_ip: `100.66.${index}.9` })),
  );
  expect(above([first, further, unknown], [30, 14, 16])).toEqual(["ok", "ok", "ok"]);
});

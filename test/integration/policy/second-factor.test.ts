import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { mfaTotpSet } from "@postern/shared/contracts";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { askJson } from "../../support/ask-json.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { isTree, type Tree } from "../../support/stack-config.ts";
import { makeBus, soon } from "../bus/bus-fixture.ts";

const many = 12;

function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8");
}

function at(tree: unknown, ...path: readonly string[]): Tree {
  let value = tree;
  for (const key of path) value = isTree(value) ? value[key] : undefined;
  if (!isTree(value)) throw new Error(`no section ${path.join(".")}`);
  return value;
}

/** The guide's first example, unchanged. */
function guidePolicy(): Tree {
  const [, example] = /```yaml\n([^]*?)```/u.exec(read("docs/operate/policies.md")) ?? [];
  return at(parse(example ?? ""), "auth", "policy");
}

/** The queries of the demo, with second factors. */
function demoSearches(): unknown {
  return at(parse(read("config/demo.yaml")), "auth", "backends", "sql").search;
}

let stack: Stack;
let bus: Awaited<ReturnType<typeof makeBus>>;

beforeAll(async () => {
  stack = await startStack({
    shape: "five",
    engines: 2,
    redis: true,
    settings: {
      auth: {
        policy: guidePolicy(),
        pipeline: { local_cache_ttl: "30s" },
        backends: { order: ["cache", "sql"], sql: { search: demoSearches() } },
      },
    },
  });
  bus = await makeBus(stack.nats.url, { namespace: "postern" });
});
afterAll(async () => {
  await bus.close();
  await stack[Symbol.asyncDispose]();
});

interface Login {
  readonly name: string;
  readonly protocol: string;
  readonly password?: string;
}

const login = ({ name, protocol, password = `${name}-demo-password` }: Login) =>
  askJson(stack.url, { username: `${name}@example.test`, password, protocol, client_ip: "203.0.113.9" });

async function hitsOnBothEngines(): Promise<number> {
  const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
  const counts = pages.map((page) =>
    Number(/^service_result_cache_reads_total\{level="memory",outcome="hit"\} (\d+)$/mu.exec(page)?.[1] ?? 0),
  );
  return Math.min(...counts);
}

/** The statuses of first responses and of those from both engines' memory. */
async function statusesUntilCached(attempt: Login): Promise<readonly number[]> {
  const before = await hitsOnBothEngines();
  const seen = new Set<number>();
  await poll("hits in both engines", async () => {
    const answers = await Promise.all(Array.from({ length: many }, () => login(attempt)));
    for (const { status } of answers) seen.add(status);
    return (await hitsOnBothEngines()) > before;
  });
  return [...seen];
}

test.each([
  { name: "bob", protocol: "imap", right: 403, why: "TOTP refuses the main password for mail" },
  { name: "bob", protocol: "oidc", right: 200, why: "the example names mail protocols only" },
  { name: "bob", protocol: "http", right: 200, why: "the example names mail protocols only" },
  { name: "alice", protocol: "imap", right: 200, why: "an account without a second factor keeps its password" },
  { name: "carol", protocol: "imap", right: 200, why: "recovery codes alone are no second factor" },
])("$name on $protocol is $right, from the backend and from the caches: $why", async ({ right, ...attempt }) => {
  expect(await statusesUntilCached(attempt)).toEqual([right]);
});

test("the denial has the example's message, and a wrong password does not", async () => {
  const denied = await login({ name: "bob", protocol: "imap" });
  expect([denied.status, denied.headers.get("auth-status")]).toEqual([403, "Use an app password"]);
  const wrong = await login({ name: "bob", protocol: "imap", password: "wrong" });
  expect(wrong.status).toBe(403);
  expect(wrong.headers.get("auth-status")).not.toBe("Use an app password");
});

test("a user who sets up TOTP is rejected immediately where the login is cached, and the app password remains valid", async () => {
  const main: Login = { name: "carol", protocol: "imap" };
  const app: Login = { ...main, password: "app-careed-emeapp-asswer-dferca-reprgj" };
  expect(await statusesUntilCached(main)).toEqual([200]);
  const target = { session: "second-factor", username: "carol@example.test" };
  expect(await bus.request(mfaTotpSet, { ...target, secret: "JBSWY3DPEHPK3PXP" }, soon())).toEqual({ outcome: "ok" });
  expect(await statusesUntilCached(main)).toEqual([403]);
  const answers = await Promise.all(Array.from({ length: many }, () => login(app)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
  const counted = pages.map((page) =>
    Number(/^service_app_password_checks_total\{outcome="ok"\} (\d+)$/mu.exec(page)?.[1] ?? 0),
  );
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(many);
});

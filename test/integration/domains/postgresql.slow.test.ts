import { execFile } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { type DatabaseServer, poll, spawnPostgresql } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { demoBackends, merged } from "../../support/stack-config.ts";

const owned = new AsyncDisposableStack();
let database: DatabaseServer;
let stack: Stack;

/** `d1.test` to `d50.test`, each with an alias and a user. */
const numbers = Array.from({ length: 50 }, (_value, index) => index + 1);

const schema = `CREATE TABLE domains (name text PRIMARY KEY, aliases text[], enabled boolean NOT NULL DEFAULT true, message text, backends text[], attributes jsonb);
CREATE INDEX ON domains USING gin (aliases);
INSERT INTO domains (name, aliases, backends, attributes) SELECT 'd' || n || '.test', ARRAY['a' || n || '.test', 'www.a' || n || '.test'], '{sql}', jsonb_build_object('tenant', n::text) FROM generate_series(1, 50) n;
`;

/** Changes records, as the site's own software does. */
function change(sql: string): Promise<unknown> {
  const { port, user, password } = database;
  return promisify(execFile)("psql", ["-h", "127.0.0.1", "-p", `${port}`, "-U", user, "-d", "mail", "-c", sql], {
    env: { PATH: process.env["PATH"], PGPASSWORD: password },
  });
}

beforeAll(async () => {
  database = owned.use(await spawnPostgresql({ sql: schema }));
  const { port, user, password } = database;
  const pool = { driver: "postgresql", server: [`127.0.0.1:${port}`], database: "mail", user, password };
  stack = owned.use(
    await startStack({
      redis: true,
      engines: 2,
      services: ["admin"],
      backends: (folder) =>
        merged(demoBackends(folder), {
          sql: { pools: { records: { ...pool, cb_cooldown: "500ms", health_check_interval: "1s" } } },
        }),
      settings: {
        auth: {
          domains: {
            source: {
              kind: "sql",
              pool: "records",
              query:
                "SELECT name, aliases, enabled, message, backends, attributes FROM domains WHERE name = :domain OR aliases @> ARRAY[:domain]::text[]",
              timeout: "3s",
              lifetime: "2s",
            },
          },
        },
      },
    }),
  );
  using users = new DatabaseSync(join(stack.folder, "directory.sqlite"));
  const add = users.prepare(
    "INSERT INTO users (username, password, display_name, mail, uid, enabled) SELECT ?, password, 'x', ?, ?, 1 FROM users WHERE username = 'alice@example.test'",
  );
  for (const number of numbers) add.run(...Array.from({ length: 3 }, () => `user@d${number}.test`));
});

afterAll(() => owned.disposeAsync());

async function signIn(domain: string) {
  const { status, headers } = await askJson(stack.url, { ...alice, username: `user@${domain}` });
  return [status, headers.get("auth-user") ?? headers.get("auth-status")];
}

/** Waits until both engines answer so: each gets a share of many requests. */
const everywhere = (domain: string, status: number): Promise<unknown> =>
  poll(`${domain} is ${status} at both engines`, async () => {
    const found = await Promise.all(Array.from({ length: 24 }, () => signIn(domain)));
    return found.every(([one]) => one === status);
  });

const flush = (domain: string) => askAdmin(stack, "DELETE", "/api/v1/cache/flush/domain", { body: { domain } });

test("records of PostgreSQL, with its types, are found by name and alias", async () => {
  const found = await Promise.all(
    numbers.flatMap((number) => ["d", "a", "www.a"].map((prefix) => signIn(`${prefix}${number}.test`))),
  );
  expect(found).toEqual(numbers.flatMap((number) => [1, 2, 3].map(() => [200, `user@d${number}.test`])));
  expect((await askAdmin(stack, "GET", "/api/v1/domains/a7.test")).body).toMatchObject({
    name: "d7.test",
    origin: "source",
    aliases: ["a7.test", "www.a7.test"],
    record: { backends: ["sql"], attributes: { tenant: "7" } },
  });
  expect((await signIn("d51.test"))[0]).toBe(403);
});

test("a change counts at both engines after a flush, and without one when the record's life ends", async () => {
  await change("UPDATE domains SET enabled = false, message = 'Moved.' WHERE name IN ('d1.test', 'd2.test')");
  expect((await flush("a1.test")).status).toBe(200);
  await everywhere("d1.test", 403);
  expect(await signIn("a1.test")).toEqual([403, "Moved."]);
  await everywhere("d2.test", 403);
});

const known = numbers.slice(2, 20).map((number) => `d${number}.test`);

const records = async (engine: Stack["engines"][number]): Promise<number> =>
  Number(/^service_domain_records (\d+)$/mu.exec(await engine.metrics())?.[1]);

/** Makes both engines know these domains, and no others. */
async function learn(): Promise<void> {
  expect((await askAdmin(stack, "DELETE", "/api/v1/cache/flush/domain", { body: {} })).status).toBe(200);
  await poll("both engines know the domains", async () => {
    await Promise.all(known.map(signIn));
    const sizes = await Promise.all(stack.engines.map(records));
    return sizes.every((size) => size === known.length);
  });
}

/** Whether a source that is away makes an unknown domain undecidable, and no other. */
async function isAwayForOthersOnly(unknown: string): Promise<boolean> {
  await everywhere(unknown, 500);
  for (const domain of known) await everywhere(domain, 200);
  return true;
}

test("while the database hangs, known domains go on and others are undecidable; a flushed one is among these", async () => {
  await learn();
  await database.pause();
  try {
    expect(await isAwayForOthersOnly("never-seen.test")).toBe(true);
    expect((await flush("d4.test")).status).toBe(200);
    await everywhere("d4.test", 500);
    await everywhere("d5.test", 200);
  } finally {
    await database.resume();
  }
  await everywhere("never-seen.test", 403);
  await everywhere("d4.test", 200);
});

test("while the database is gone, too; when it is back, what changed meanwhile counts", async () => {
  await learn();
  await database.kill();
  expect(await isAwayForOthersOnly("another.test")).toBe(true);
  await database.start();
  await change("INSERT INTO domains (name) VALUES ('another.test')");
  await everywhere("d1.test", 403);
  await change("UPDATE domains SET enabled = true WHERE name = 'd1.test'");
  await everywhere("d1.test", 200);
});

import { dirname, join } from "node:path";
import { scratchFolder } from "@postern/shared/testing";
import extractDepcruiseOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import { describe, expect, test } from "vitest";
import { cruiseTree } from "./cruise.ts";
import { plant, plantHouse } from "./planted-tree.ts";

const repository = join(import.meta.dirname, "../..");
const configuration = join(repository, ".dependency-cruiser.mjs");
const gateway = "services/gateway/src";
const engine = "services/auth-engine/src";
const shared = "libs/shared/src";

const backendFiles = ["ldap/ldap-backend.ts", "sql/mfa-credentials.ts", "sql/settings.ts", "lua/lua-backend.ts"];

/** Rule, file to plant, and its imports. */
const forbidden: readonly (readonly [string, string, string])[] = [
  ["no-service-to-service", `${gateway}/relative.ts`, "../../admin/src/main.ts"],
  ["no-service-to-service", `${gateway}/named.ts`, "@postern/admin"],
  ["no-service-to-service", `${gateway}/named-file.ts`, "@postern/admin/src/main.ts"],
  ["no-service-to-service", `${gateway}/only-a-type.ts`, "type ../../admin/src/main.ts"],
  ["no-service-to-service", `${gateway}/side.test.ts`, "../../admin/src/main.ts"],
  ["no-service-in-library", `${shared}/platform/net/index.ts`, "../../../../../services/admin/src/main.ts"],
  ["no-service-in-library", `${shared}/platform/net/named.ts`, "@postern/admin"],
  ["contracts-import-only-typebox", `${shared}/contracts/ours.ts`, "../platform/errors/index.ts"],
  ["contracts-import-only-typebox", `${shared}/contracts/theirs.ts`, "ioredis"],
  ["contracts-import-only-typebox", `${shared}/contracts/node.ts`, "node:fs"],
  ["layers-import-downward", `${shared}/platform/errors/domain.ts`, "../../domain/audit/index.ts"],
  ["layers-import-downward", `${shared}/platform/errors/assembly.ts`, "type ../../assembly/index.ts"],
  ["layers-import-downward", `${shared}/domain/audit/assembly.ts`, "../../assembly/index.ts"],
  ["error-codes-are-a-leaf", `${shared}/platform/errors/codes.ts`, "../../contracts/index.ts"],
  ["only-bus-imports-nats", `${shared}/platform/metrics/index.ts`, "@nats-io/transport-node"],
  ["only-bus-imports-nats", `${gateway}/server.ts`, "type @nats-io/transport-node"],
  ["only-redis-imports-ioredis", `${shared}/platform/lifecycle/index.ts`, "ioredis"],
  ["only-redis-imports-ioredis", `${gateway}/health.ts`, "ioredis"],
  ["only-tracing-imports-opentelemetry", `${shared}/platform/bus/traces.ts`, "@opentelemetry/api"],
  ["only-tracing-imports-opentelemetry", `${gateway}/traces.ts`, "type @opentelemetry/api"],
  ["only-context-imports-adapters", `${gateway}/routes/ping.ts`, "../limits/store-redis.ts"],
  ["only-context-imports-adapters", `${engine}/rpc/credentials.ts`, "../backends/sql/mfa-credentials.ts"],
  ["only-context-imports-adapters", `${engine}/pipeline/find.ts`, "../backends/ldap/ldap-backend.ts"],
  ["only-context-imports-adapters", `${engine}/rpc/types.ts`, "type ../backends/lua/lua-backend.ts"],
  ["domain-is-free-of-frameworks", `${gateway}/dialects/json.ts`, "fastify"],
  ["domain-is-free-of-frameworks", `${gateway}/limits/budget.ts`, "type pino"],
  ["no-testing-in-shipped-code", `${gateway}/config.ts`, "@postern/shared/testing"],
  ["no-testing-in-shipped-code", `${shared}/platform/time/index.ts`, "../../testing/index.ts"],
  ["no-undeclared-dependency", `${gateway}/development.ts`, "left-pad"],
  ["no-undeclared-dependency", `${gateway}/of-another.ts`, "typebox"],
  ["no-deep-import", `${gateway}/deep.ts`, `../../../${shared}/platform/errors/codes.ts`],
  ["no-deep-import", `${gateway}/shallow.ts`, `../../../${shared}/platform/errors/index.ts`],
  ["no-deep-import", "test/deep.ts", `../${shared}/platform/errors/codes.ts`],
  ["no-unresolvable", `${gateway}/past-the-exports.ts`, "@postern/shared/platform/errors/codes"],
  ["no-unresolvable", `${gateway}/nowhere.ts`, "./nowhere-at-all.ts"],
  ["no-circular", `${gateway}/ring-a.ts`, "./ring-b.ts"],
  ["no-folder-cycle", `${gateway}/pair-a/upper.ts`, "../pair-b/lower.ts"],
];

/** The place that a violation names: the importing file, or its folder for the rule about folders. */
function importerOf(rule: string, file: string): string {
  return rule === "no-folder-cycle" ? dirname(file) : file;
}

describe("the rules for imports", () => {
  test("a tree that follows them has no violation", async () => {
    await using house = await scratchFolder();
    plantHouse(house.path);
    const { modules, violations } = await cruiseTree(house.path, configuration);
    expect(violations).toEqual([]);
    expect(modules).toBe(18);
  });

  test("each forbidden import is rejected by its rule", async () => {
    await using house = await scratchFolder();
    plantHouse(house.path);
    for (const [, file, target] of forbidden) plant(house.path, file, target);
    for (const file of backendFiles) plant(house.path, `${engine}/backends/${file}`);
    plant(house.path, `${gateway}/ring-b.ts`, "type ./ring-a.ts");
    plant(house.path, `${gateway}/pair-b/upper.ts`, "type ../pair-a/lower.ts");
    plant(house.path, `${gateway}/pair-a/lower.ts`);
    plant(house.path, `${gateway}/pair-b/lower.ts`);
    const { violations } = await cruiseTree(house.path, configuration);
    const refused = new Set(violations.map(({ rule, from }) => `${rule} ${from}`));
    expect(
      forbidden.map(([rule, file]) => `${rule} ${importerOf(rule, file)}`).filter((expected) => !refused.has(expected)),
    ).toEqual([]);
  });

  test("the settings of a backend may be imported anywhere, its adapter by the context and by the adapter's own folder", async () => {
    await using house = await scratchFolder();
    plantHouse(house.path);
    for (const file of backendFiles) plant(house.path, `${engine}/backends/${file}`);
    plant(house.path, `${engine}/settings.ts`, "./backends/sql/settings.ts");
    plant(house.path, `${engine}/context/backends.ts`, "../backends/ldap/ldap-backend.ts");
    plant(house.path, `${engine}/backends/sql/sql-backend.ts`, "./mfa-credentials.ts");
    const { violations } = await cruiseTree(house.path, configuration);
    expect(violations).toEqual([]);
  });

  test("a test that closes a cycle of folders breaks no rule", async () => {
    await using house = await scratchFolder();
    plantHouse(house.path);
    plant(house.path, `${gateway}/pair-a/upper.ts`, "../pair-b/lower.ts");
    plant(house.path, `${gateway}/pair-a/lower.ts`);
    plant(house.path, `${gateway}/pair-b/lower.ts`);
    plant(house.path, `${gateway}/pair-b/lower.test.ts`, "../pair-a/lower.ts");
    const { violations } = await cruiseTree(house.path, configuration);
    expect(violations).toEqual([]);
  });

  test("every rule of the configuration has a planted import", async () => {
    const { ruleSet } = await extractDepcruiseOptions(configuration);
    const names = (ruleSet?.forbidden ?? []).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !forbidden.some(([rule]) => rule === name))).toEqual([]);
  });
});

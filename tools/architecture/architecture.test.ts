import { join } from "node:path";
import { scratchFolder } from "@postern/shared/testing";
import extractDepcruiseOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import { describe, expect, test } from "vitest";
import { cruiseTree } from "./cruise.ts";
import { plant, plantHouse } from "./planted-tree.ts";

const repository = join(import.meta.dirname, "../..");
const configuration = join(repository, ".dependency-cruiser.mjs");
const gateway = "services/gateway/src";
const shared = "libs/shared/src";

/** Rule, file to plant, what it imports. */
const forbidden: readonly (readonly [string, string, string])[] = [
  ["no-service-to-service", `${gateway}/relative.ts`, "../../admin/src/main.ts"],
  ["no-service-to-service", `${gateway}/named.ts`, "@postern/admin"],
  ["no-service-to-service", `${gateway}/named-file.ts`, "@postern/admin/src/main.ts"],
  ["no-service-to-service", `${gateway}/only-a-type.ts`, "type ../../admin/src/main.ts"],
  ["no-service-to-service", `${gateway}/side.test.ts`, "../../admin/src/main.ts"],
  ["no-service-in-library", `${shared}/net/index.ts`, "../../../../services/admin/src/main.ts"],
  ["no-service-in-library", `${shared}/net/named.ts`, "@postern/admin"],
  ["contracts-import-only-typebox", `${shared}/contracts/ours.ts`, "../errors/index.ts"],
  ["contracts-import-only-typebox", `${shared}/contracts/theirs.ts`, "ioredis"],
  ["contracts-import-only-typebox", `${shared}/contracts/node.ts`, "node:fs"],
  ["error-codes-are-a-leaf", `${shared}/errors/codes.ts`, "../contracts/index.ts"],
  ["only-bus-imports-nats", `${shared}/metrics/index.ts`, "@nats-io/transport-node"],
  ["only-bus-imports-nats", `${gateway}/server.ts`, "type @nats-io/transport-node"],
  ["only-redis-imports-ioredis", `${shared}/lifecycle/index.ts`, "ioredis"],
  ["only-redis-imports-ioredis", `${gateway}/health.ts`, "ioredis"],
  ["only-context-imports-adapters", `${gateway}/routes/ping.ts`, "../limits/store-redis.ts"],
  ["domain-is-free-of-frameworks", `${gateway}/dialects/json.ts`, "fastify"],
  ["domain-is-free-of-frameworks", `${gateway}/limits/budget.ts`, "type pino"],
  ["no-testing-in-shipped-code", `${gateway}/config.ts`, "@postern/shared/testing"],
  ["no-testing-in-shipped-code", `${shared}/time/index.ts`, "../testing/index.ts"],
  ["no-undeclared-dependency", `${gateway}/development.ts`, "left-pad"],
  ["no-undeclared-dependency", `${gateway}/of-another.ts`, "typebox"],
  ["no-deep-import", `${gateway}/deep.ts`, `../../../${shared}/errors/codes.ts`],
  ["no-deep-import", `${gateway}/shallow.ts`, `../../../${shared}/errors/index.ts`],
  ["no-deep-import", "test/deep.ts", `../${shared}/errors/codes.ts`],
  ["no-unresolvable", `${gateway}/past-the-exports.ts`, "@postern/shared/errors/codes"],
  ["no-unresolvable", `${gateway}/nowhere.ts`, "./nowhere-at-all.ts"],
  ["no-circular", `${gateway}/ring-a.ts`, "./ring-b.ts"],
];

describe("the rules of who imports whom", () => {
  test("a tree that keeps them has no violation", async () => {
    await using house = await scratchFolder();
    plantHouse(house.path);
    const { modules, violations } = await cruiseTree(house.path, configuration);
    expect(violations).toEqual([]);
    expect(modules).toBe(16);
  });

  test("each forbidden import is refused by its rule", async () => {
    await using house = await scratchFolder();
    plantHouse(house.path);
    for (const [, file, target] of forbidden) plant(house.path, file, target);
    plant(house.path, `${gateway}/ring-b.ts`, "type ./ring-a.ts");
    const { violations } = await cruiseTree(house.path, configuration);
    const refused = new Set(violations.map(({ rule, from }) => `${rule} ${from}`));
    expect(forbidden.map(([rule, file]) => `${rule} ${file}`).filter((expected) => !refused.has(expected))).toEqual([]);
  });

  test("every rule of the configuration has a planted import", async () => {
    const { ruleSet } = await extractDepcruiseOptions(configuration);
    const names = (ruleSet?.forbidden ?? []).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !forbidden.some(([rule]) => rule === name))).toEqual([]);
  });

  test("the real tree is read and keeps the rules", async () => {
    const { modules, violations } = await cruiseTree(repository, configuration);
    expect(violations).toEqual([]);
    expect(modules).toBeGreaterThan(20);
  });
});

import { riskSettings } from "@postern/shared/domain/risk";
import { loadConfig } from "@postern/shared/platform/config";
import { riskAccountKey } from "@postern/shared/platform/redis";
import { spawnRedis } from "@postern/shared/testing";
import { expect, test } from "vitest";
import { testRedis } from "../../support/redis-content.ts";
import { validation } from "./parameters.ts";
import { simulate } from "./simulate.ts";

const accounts = 1_000_000;
const atOnce = 5000;
const ninetyDays = 90 * 86_400;

/** Bytes of the values of the simulator. Redis stores a value as it is, so that its content does not matter. */
function sizes(): readonly number[] {
  const loaded = loadConfig({ text: "", env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error("the default configuration is invalid");
  const settings = { ...riskSettings(loaded.config.auth.risk), mode: "enforce" as const };
  const run = { seed: 102, accounts: 400, parameters: validation, settings, comparesPasswords: false };
  return simulate(run).valueBytes;
}

const fill = `
for index = 1, #ARGV - 2 do
  local key = ARGV[1] .. string.format("%022d", ARGV[2] + index) .. "}"
  redis.call("SET", key, string.rep("x", ARGV[index + 2]), "EX", ${ninetyDays})
end`;

test("facts about a million accounts take at most 1.5 GB of Redis", { timeout: 1_800_000 }, async () => {
  const bytes = sizes();
  await using server = await spawnRedis();
  const redis = await testRedis(server.port);
  const used = async (): Promise<number> => Number(/^used_memory:(\d+)/mu.exec(await redis.info("memory"))?.[1]);
  const before = await used();
  const beginning = riskAccountKey.build("postern:", "").slice(0, -1);
  for (let written = 0; written < accounts; written += atOnce) {
    const part = Array.from({ length: atOnce }, (_, index) => bytes[(written + index) % bytes.length] ?? 0);
    await redis.eval(fill, 0, beginning, written, ...part);
  }
  const taken = (await used()) - before;
  expect(await redis.dbsize()).toBe(accounts);
  redis.disconnect();
  process.stdout.write(`${accounts} accounts take ${(taken / 1e9).toFixed(2)} GB of Redis\n`);
  expect(taken).toBeLessThan(1.5e9);
});

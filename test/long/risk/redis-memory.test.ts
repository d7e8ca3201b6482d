import { randomBytes } from "node:crypto";
import { riskSettings } from "@postern/shared/domain/risk";
import { loadConfig } from "@postern/shared/platform/config";
import { riskAccountKey } from "@postern/shared/platform/redis";
import { spawnRedis } from "@postern/shared/testing";
import { expect, test } from "vitest";
import { testRedis } from "../../support/redis-content.ts";
import { validation } from "./parameters.ts";
import { simulate } from "./simulate.ts";

const accounts = 1_000_000;
const atOnce = 1000;
const ninetyDays = 90 * 86_400;

/** Values as long as those of the simulator, with random content, because equal ones say nothing about memory. */
function sizes(): readonly number[] {
  const loaded = loadConfig({ text: "", env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error("the default configuration is invalid");
  const settings = { ...riskSettings(loaded.config.auth.risk), mode: "enforce" as const };
  const run = { seed: 102, accounts: 400, parameters: validation, settings, comparesPasswords: false };
  return simulate(run).valueBytes;
}

test("facts about a million accounts take at most 1.5 GB of Redis", { timeout: 1_800_000 }, async () => {
  await using server = await spawnRedis();
  const redis = await testRedis(server.port);
  const used = async (): Promise<number> => Number(/^used_memory:(\d+)/mu.exec(await redis.info("memory"))?.[1]);
  const before = await used();
  const bytes = sizes();
  for (let written = 0; written < accounts; written += atOnce) {
    const batch = redis.pipeline();
    for (let index = 0; index < atOnce; index += 1) {
      const key = riskAccountKey.build("postern:", randomBytes(16).toString("base64url"));
      const size = bytes[(written + index) % bytes.length] ?? 0;
      batch.set(
        key,
        randomBytes(Math.ceil(size / 2))
          .toString("hex")
          .slice(0, size),
        "EX",
        ninetyDays,
      );
    }
    await batch.exec();
  }
  const taken = (await used()) - before;
  process.stdout.write(`${accounts} accounts take ${(taken / 1e9).toFixed(2)} GB of Redis\n`);
  redis.disconnect();
  expect(taken).toBeLessThan(1.5e9);
});

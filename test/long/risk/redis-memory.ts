import { riskSettings } from "@postern/shared/domain/risk";
import { loadConfig } from "@postern/shared/platform/config";
import { riskAccountKey } from "@postern/shared/platform/redis";
import { spawnRedis } from "@postern/testing";
import { testRedis } from "../../support/redis-content.ts";
import { validation } from "./parameters.ts";
import { simulate } from "./simulate.ts";

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

/** Bytes that a Redis of its own takes for the facts about so many accounts, and how many values it has then. */
export async function measureFacts(accounts: number): Promise<{ readonly bytes: number; readonly values: number }> {
  const lengths = sizes();
  await using server = await spawnRedis();
  const redis = await testRedis(server.port);
  const used = async (): Promise<number> => Number(/^used_memory:(\d+)/mu.exec(await redis.info("memory"))?.[1]);
  const before = await used();
  const beginning = riskAccountKey.build("postern:", "").slice(0, -1);
  for (let written = 0; written < accounts; written += atOnce) {
    const count = Math.min(atOnce, accounts - written);
    const part = Array.from({ length: count }, (_, index) => lengths[(written + index) % lengths.length] ?? 0);
    await redis.eval(fill, 0, beginning, written, ...part);
  }
  const measured = { bytes: (await used()) - before, values: await redis.dbsize() };
  redis.disconnect();
  return measured;
}

import { defineVariableScript, type RedisClient } from "@postern/shared/platform/redis";
import type {
  AccountCount,
  AccountFailure,
} from "../../../services/auth-engine/src/brute-force/account-store-redis.ts";
import type { AccountDelaySettings } from "../../../services/auth-engine/src/brute-force/brute-force-settings.ts";

/** The script of release 1.0, whose engines run beside newer ones during an upgrade. */
const earlierLua = `
local window_ms, max_digests, slowed_from, known_seconds = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local failures_key, slowed_key, known_key, digest, network = KEYS[1], KEYS[2], KEYS[3], ARGV[5], ARGV[6]
local call = redis.call
local failures = call("SCARD", failures_key)
local is_new
if failures >= max_digests then
  is_new = 1 - call("SISMEMBER", failures_key, digest)
else
  is_new = call("SADD", failures_key, digest)
end
if is_new == 1 then
  failures = math.min(max_digests, failures + 1)
  call("PEXPIRE", failures_key, window_ms)
  if failures >= slowed_from then call("SET", slowed_key, failures, "PX", window_ms) end
end
local is_known_network = 0
if failures >= slowed_from and network ~= "" then
  local at_seconds = call("ZSCORE", known_key, network)
  if at_seconds and tonumber(at_seconds) > tonumber(call("TIME")[1]) - known_seconds then is_known_network = 1 end
end
return { failures, is_new, is_known_network }
`;

export function createEarlierAccountCount(
  redis: RedisClient,
  settings: AccountDelaySettings,
): (failure: AccountFailure) => Promise<AccountCount> {
  const run = defineVariableScript(redis, { name: "earlierAccountCount", lua: earlierLua }, 3);
  const start = [settings.windowMs, 64, settings.failures, Math.ceil(settings.knownForMs / 1000)];
  return async ({ target: { keys, source }, digest }) => {
    const answer = await run([keys.failures, keys.delayed, keys.known], [...start, digest, source.network ?? ""]);
    if (!Array.isArray(answer)) throw new TypeError("the script did not return a list");
    const [failures = 0, isNew, knows] = answer.map(Number);
    return { failures, isNew: isNew === 1, knowsSource: knows === 1 };
  };
}

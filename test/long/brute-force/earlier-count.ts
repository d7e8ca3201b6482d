import { accountKeys, parseBan, type SourceParts, tolerationKeysOf } from "@postern/shared/domain/brute-force";
import { defineVariableScript, guessesKey, type RedisClient } from "@postern/shared/platform/redis";
import {
  type CountedAttempt,
  type CountResult,
  type Guess,
  memoryMs,
} from "../../../services/auth-engine/src/brute-force/shared-store.ts";
import { unknownWeight } from "../../../services/auth-engine/src/brute-force/toleration.ts";

/** The script of engines that counted each failure in a separate call. They run beside newer engines during an upgrade. */
const earlierLua = `
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function text(number) return string.format("%.0f", number) end
local function load(key, window)
  local h = redis.call("HMGET", key, "w", "k", "u", "pk", "pu", "r")
  local c = { w = tonumber(h[1]) or window }
  c.k, c.u = tonumber(h[2]) or 0, tonumber(h[3]) or 0
  c.pk, c.pu, c.r = tonumber(h[4]) or 0, tonumber(h[5]) or 0, tonumber(h[6]) or 0
  if window > c.w then
    local follows = window == c.w + 1
    c = { w = window, k = 0, u = 0, pk = follows and c.k or 0, pu = follows and c.u or 0, r = 0 }
  end
  return c
end
local function store(key, c, period)
  redis.call("HSET", key, "w", text(c.w), "k", c.k, "u", c.u, "pk", c.pk, "pu", c.pu, "r", c.r)
  redis.call("PEXPIRE", key, 2 * period)
end
local digest, known, memory = ARGV[1], ARGV[2] == "1", tonumber(ARGV[3])
local repeated, seen = 0, 0
if known then
  local old = redis.call("HGET", KEYS[1], digest)
  local counted, last = string.match(old or "", "^(%d+):(%d+)$")
  if last and now - tonumber(last) < memory then repeated = 1 else counted = text(now) end
  seen = redis.call("HLEN", KEYS[1])
  if old or seen < tonumber(ARGV[4]) then
    seen = seen + redis.call("HSET", KEYS[1], digest, counted .. ":" .. text(now))
  end
  redis.call("PEXPIRE", KEYS[1], 2 * memory)
  if repeated == 0 then redis.call("SET", KEYS[2], "1", "PX", memory) end
end
redis.call("PFADD", KEYS[3], digest)
redis.call("PEXPIRE", KEYS[3], ARGV[5])
local banned, new, value = 0, 0, ""
for i = 1, (#KEYS - 3) / 4 do
  local k, a = 3 + (i - 1) * 4, 6 + (i - 1) * 8
  local period, limit = tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2])
  local window = math.floor(now / period)
  local c = load(KEYS[k + 2], window)
  if repeated == 0 then
    if known then c.k = c.k + 1 else c.u = c.u + 1 end
    store(KEYS[k + 2], c, period)
  end
  local standing = redis.call("GET", KEYS[k + 1])
  if standing then
    if banned == 0 then banned, value = i, standing end
  elseif repeated == 0 and new == 0 then
    local left = c.w > window and 1 or 1 - (now % period) / period
    local fk, fu = c.k + c.pk * left, c.u + c.pu * left
    if fk + fu >= limit - 1e-9 then
      local least, most = tonumber(ARGV[a + 6]), tonumber(ARGV[a + 7])
      local accounts = 0
      if most > 0 then
        accounts = math.max(redis.call("PFCOUNT", KEYS[k + 3]), redis.call("PFCOUNT", KEYS[k + 4]))
      end
      local allowed = 0
      if accounts > 0 then
        local growth = math.min(1, math.log(accounts + 1) / math.log(100) * tonumber(ARGV[a + 8]))
        allowed = math.floor(accounts * (least + (most - least) * growth) / 100)
      end
      local weight = tonumber(ARGV[6])
      local eu = math.min(fu, math.floor(allowed / weight))
      local ek = math.min(fk, allowed - weight * eu)
      if fk + fu - ek - eu >= limit - 1e-9 then
        local ban = tonumber(ARGV[a + 3])
        local written = text(now) .. " " .. text(now + ban) .. " " .. ARGV[a + 5] .. " " .. ARGV[a + 4]
        redis.call("SET", KEYS[k + 1], written, "PX", ban)
        if banned == 0 then banned, value = i, written end
        new = i
      end
    end
  end
end
return { repeated, seen, redis.call("PFCOUNT", KEYS[3]), banned, new, value }
`;

export interface EarlierParts {
  readonly redis: RedisClient;
  readonly parts: SourceParts;
  readonly repeatWindowMs: number;
}

/** Counts failures to which one or two rules apply. */
export function createEarlierCount({ redis, parts, repeatWindowMs }: EarlierParts) {
  const scripts = [1, 2].map((rules) =>
    defineVariableScript(redis, { name: "earlierCount", lua: earlierLua }, 3 + 4 * rules),
  );
  return async (
    { source, scopes, username }: CountedAttempt,
    { digest, known, toleration }: Guess,
  ): Promise<CountResult> => {
    const { wrongPasswords, pending } = accountKeys(parts, source, username);
    const keys = [wrongPasswords, pending, source.guessesKey];
    const life = guessesKey.ttlSeconds * 1000;
    const args = [digest, known ? 1 : 0, memoryMs(repeatWindowMs, scopes), 64, life, unknownWeight];
    const rules: (string | number)[] = [];
    for (const { banKey, countKey, network, rule } of scopes) {
      keys.push(banKey, countKey, ...tolerationKeysOf(parts, source.tag, { network, nowMs: Date.now() }));
      rules.push(rule.periodMs, rule.failedRequests, rule.banMs, rule.name, network);
      rules.push(toleration.minPercent, toleration.maxPercent, toleration.scale);
    }
    const answer: unknown = await scripts[scopes.length - 1]?.(keys, [...args, ...rules]);
    if (!Array.isArray(answer)) throw new TypeError("no list");
    const [repeated, seen, total, banned, isNew, value] = answer.map(String);
    return {
      repeated: repeated === "1",
      accountPasswordsSeen: Number(seen),
      totalPasswordsSeen: Number(total),
      ban: banned === "0" ? undefined : parseBan(value ?? ""),
      isNew: isNew !== "0",
    };
  };
}

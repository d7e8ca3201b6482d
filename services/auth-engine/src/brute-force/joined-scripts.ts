import {
  defineVariableScript,
  type RedisClient,
  type RunVariableScript,
  type VariableScript,
} from "@postern/shared/platform/redis";

/** A call that waits for the end of its tick. */
interface Call {
  readonly keys: Parameters<RunVariableScript>[0];
  readonly args: Parameters<RunVariableScript>[1];
  readonly resolve: (reply: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** Each script is a function whose KEYS and ARGV are its own. An error in one is its reply, so that the other one counts. */
function joinedLua(first: VariableScript, second: VariableScript): string {
  return `-- KEYS and ARGV: those of the first script, then those of the second
-- ARGV[1] number of keys of the first; ARGV[2] number of its arguments
-- Reply: both replies
local function slice(list, from, to)
  local part = {}
  for i = from, to do part[#part + 1] = list[i] end
  return part
end
local function run(script, keys, args)
  local done, reply = pcall(script, keys, args)
  if done then return reply end
  return { err = type(reply) == "table" and reply.err or tostring(reply) }
end
local function first(KEYS, ARGV)
${first.lua}
end
local function second(KEYS, ARGV)
${second.lua}
end
local keys, args = tonumber(ARGV[1]), 2 + tonumber(ARGV[2])
return {
  run(first, slice(KEYS, 1, keys), slice(ARGV, 3, args)),
  run(second, slice(KEYS, keys + 1, #KEYS), slice(ARGV, args + 1, #ARGV)),
}
`;
}

function settle({ resolve, reject }: Call, reply: unknown): void {
  if (reply instanceof Error) reject(reply);
  else resolve(reply);
}

/**
 * Runs a call of each of two scripts as one command of Redis, if one tick brings both: a failure counts for its network and for its
 * account. Not for a cluster, where their keys have different slots.
 */
export function createJoinedScripts(
  redis: RedisClient,
  first: VariableScript,
  second: VariableScript,
): readonly [RunVariableScript, RunVariableScript] {
  const alone = [defineVariableScript(redis, first), defineVariableScript(redis, second)] as const;
  const name = `${first.name}And${second.name}`;
  const both = defineVariableScript(redis, { name, lua: joinedLua(first, second) });
  const waiting: [Call | undefined, Call | undefined] = [undefined, undefined];

  const runBoth = async (one: Call, other: Call): Promise<void> => {
    try {
      const args = [one.keys.length, one.args.length, ...one.args, ...other.args];
      const replies = await both([...one.keys, ...other.keys], args);
      if (!Array.isArray(replies)) throw new TypeError("the joined script did not return a list");
      settle(one, replies[0]);
      settle(other, replies[1]);
    } catch (error) {
      one.reject(error);
      other.reject(error);
    }
  };
  const flush = (): void => {
    const [one, other] = waiting;
    waiting.fill(undefined);
    if (one !== undefined && other !== undefined) void runBoth(one, other);
    else if (one !== undefined) alone[0](one.keys, one.args).then(one.resolve, one.reject);
    else if (other !== undefined) alone[1](other.keys, other.args).then(other.resolve, other.reject);
  };
  const runner =
    (which: 0 | 1): RunVariableScript =>
    (keys, args) =>
      new Promise((resolve, reject) => {
        // A second call of the same tick does not join.
        if (waiting[which] !== undefined) flush();
        const isFirst = waiting[1 - which] === undefined;
        waiting[which] = { keys, args, resolve, reject };
        if (isFirst) process.nextTick(flush);
      });
  return [runner(0), runner(1)];
}

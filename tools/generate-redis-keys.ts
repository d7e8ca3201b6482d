import { type KeyFamily, keyFamilies } from "@postern/shared/platform/redis";
import { generate } from "./write-or-check.ts";

const units = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
] as const;

/** 172800 is `2 d`, 90000 is `25 h`. */
function lifetime(seconds: number): string {
  const [size, unit] = units.find(([length]) => seconds % length === 0) ?? [1, "s"];
  return `${seconds / size} ${unit}`;
}

function row({ name, owner, role, type, ttlSeconds, bound, lost, parts, build }: KeyFamily<never[]>): string {
  const example = String(
    Reflect.apply(build, undefined, ["postern:", ...Array.from<string>(parts).map((part) => `<${part}>`)]),
  );
  return `| ${name} | \`${example}\` | ${owner} | ${role} | ${type} | ${bound ?? lifetime(ttlSeconds)} | ${lost} |`;
}

const page = `<!-- Made from libs/shared/src/platform/redis/keys by tools/generate-redis-keys.ts; do not edit. -->

# Keys in Redis

Every key that Postern writes to Redis, for operators who size, back up or inspect it. The last column says what a loss of the
key means for users.

- All keys begin with \`storage.redis.prefix\` (default \`postern:\`), and all expire or are limited in number. The lifetime is
  the longest possible one; most keys expire earlier.
- The roles \`state\`, \`queue\` and \`cache\` may share one server or have one each (\`storage.redis\`).
- The servers of \`state\` and \`queue\` need \`maxmemory-policy noeviction\` and should persist their data. The role \`cache\`
  may be emptied at any time.

| Data | Key | Written by | Role | Type | Lifetime | Effect of a loss |
|---|---|---|---|---|---|---|
${keyFamilies.map(row).join("\n")}
`;

generate(new Map([["docs/reference/redis-keys.md", page]]));

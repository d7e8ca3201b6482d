import { type KeyFamily, keyFamilies } from "@postern/shared/redis";
import { generate } from "./write-or-check.ts";

function row({ name, owner, role, type, ttlSeconds, bound, lost, parts, build }: KeyFamily<never[]>): string {
  const example = String(
    Reflect.apply(build, undefined, ["postern:", ...Array.from<string>(parts).map((part) => `<${part}>`)]),
  );
  return `| ${name} | \`${example}\` | ${owner} | ${role} | ${type} | ${bound ?? `${ttlSeconds} s`} | ${lost} |`;
}

const page = `<!-- Made from libs/shared/src/redis/keys.ts by tools/generate-redis-keys.ts; do not edit. -->

# Keys in Redis

Every key that Postern writes is built in one file, begins with \`storage.redis.prefix\` (default \`postern:\`) and has a
TTL or a bound. The three roles may be three servers or one; \`state\` and \`queue\` need \`maxmemory-policy noeviction\`.

| Family | Key | Written by | Role | Type | TTL | Gone when Redis forgets it |
|---|---|---|---|---|---|---|
${keyFamilies.map(row).join("\n")}
`;

generate(new Map([["docs/operations/redis-keys.md", page]]));

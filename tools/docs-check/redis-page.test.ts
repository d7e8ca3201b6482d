import { readFileSync } from "node:fs";
import { join } from "node:path";
import { redisCommands, usefulRedisCommands } from "@postern/shared/platform/redis";
import { expect, test } from "vitest";

const page = readFileSync(join(import.meta.dirname, "../../docs/operate/redis.md"), "utf8");

const wordsIn = (text: string | undefined): readonly string[] =>
  // A table escapes the bar of a subcommand.
  [...(text ?? "").matchAll(/`([a-z|\\]+)`/gu)].map(([, word = ""]) => word.replace("\\", ""));

const rowOf = (name: string) => wordsIn(new RegExp(`^\\| ${name} \\|.*$`, "mu").exec(page)?.[0]);

test("docs/operate/redis.md lists the commands that each service needs, and a rule that permits all of them", () => {
  const common = wordsIn(page.split("All services need:")[1]?.split("| Service |")[0]);
  expect(common.length).toBeGreaterThan(20);
  for (const [service, commands] of Object.entries(redisCommands))
    expect([service, ...new Set([...common, ...rowOf(service)])].toSorted()).toEqual([service, ...commands].toSorted());
  const rule = /^ACL SETUSER .* -@all (.*)$/mu.exec(page)?.[1]?.split(" ") ?? [];
  const all = new Set([...Object.values(redisCommands).flat(), ...usefulRedisCommands]);
  expect(rule.toSorted()).toEqual([...all].map((command) => `+${command}`).toSorted());
});

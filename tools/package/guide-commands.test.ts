import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const guide = readFileSync(join(root, "docs/guides/debian.md"), "utf8");
const steps = readFileSync(join(root, "tools/package/test-steps.sh"), "utf8");

/** Words of a command; the line breaks of a long one do not count. */
const words = (text: string): string => text.replaceAll(/\\\n\s*/gu, " ").replaceAll(/\s+/gu, " ");

/** The commands of the sections from the configuration to the first login. */
function commandsOf(page: string): readonly string[] {
  const [, part = ""] = /^## Configure$([^]*?)^## Operate$/mu.exec(page) ?? [];
  const blocks = [...part.matchAll(/^```sh\n([^]*?)^```$/gmu)].map(([, block = ""]) => block);
  return blocks.flatMap((block) => words(block.replaceAll(/(?<!\\)\n/gu, "\u0000")).split("\u0000")).filter(Boolean);
}

const missing = (page: string): readonly string[] =>
  commandsOf(page).filter((command) => !words(steps).includes(command.trim()));

test("make test-package runs each command of the guide, from the configuration to the first login", () => {
  expect(commandsOf(guide).length).toBeGreaterThan(10);
  expect(missing(guide)).toEqual([]);
});

test("a planted command that is not run is found", () => {
  expect(missing(guide.replace("systemctl restart dovecot", "systemctl restart dovecot --force"))).toEqual([
    "systemctl restart dovecot --force",
  ]);
});

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { auditEvents } from "@postern/shared/domain/audit";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/reference/audit.md"), "utf8");

function sources(): string {
  const files = globSync("{libs/shared/src/assembly,services/*/src}/**/*.ts", { cwd: root });
  return files
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n");
}

test("docs/reference/audit.md lists the events of the source, with their meanings", () => {
  const written = [...page.matchAll(/^\| `([a-z_]+\.[a-z_]+)` \| ([^|]+) \| ?([^|]*?) ?\| ?([^|]*?) ?\|/gmu)].map(
    ([, name, meaning, actor, target]) => [name, { meaning, actor, target }],
  );
  const known = Object.entries(auditEvents).map(([name, { meaning, actor, target }]) => [
    name,
    { meaning, actor, target },
  ]);
  expect(Object.fromEntries(written)).toEqual(Object.fromEntries(known));
});

test("every event of the list is written by the code", () => {
  const all = sources();
  const missing = Object.keys(auditEvents).filter((event) => !all.includes(`"${event}"`));
  expect(missing).toEqual([]);
});

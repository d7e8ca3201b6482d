import { readFileSync } from "node:fs";
import { loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";

const guide = readFileSync(new URL("../../../../docs/operate/domains.md", import.meta.url), "utf8");
const examples = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = ""]) => yaml);

test.each(examples)("example %# of the guide is a part of a configuration", (text) => {
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  // The example with a source names pools of the example before.
  const problems = result.ok
    ? []
    : result.problems.map(({ path }) => path).filter((path) => !path.includes("source.backends"));
  expect([examples.length, problems]).toEqual([2, []]);
});

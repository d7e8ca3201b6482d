import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "@postern/shared/config";
import { builtInCatalogues } from "@postern/shared/localisation";
import { policyFacts } from "@postern/shared/policies";
import { describe, expect, test } from "vitest";
import { controlSettings } from "../controls/control-settings.ts";
import { policySettings } from "./policy-settings.ts";

const docs = join(import.meta.dirname, "../../../../docs");
const guide = readFileSync(join(docs, "guides/policies.md"), "utf8");
const controls = readFileSync(join(docs, "operations/controls.md"), "utf8");

const examples = [...`${guide}\n${controls}`.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = ""]) => text);

test("the guides have examples", () => {
  expect(examples.length).toBeGreaterThanOrEqual(6);
});

describe("the examples of the guides", () => {
  test.each(examples)("load and compile: %#", (text) => {
    const loaded = loadConfig({ text, env: {}, readFile: () => "" });
    expect(loaded.ok ? [] : loaded.problems).toEqual([]);
    expect(loaded.warnings.filter(({ path }) => /^auth\.(?:policy|controls|pipeline)/.test(path))).toEqual([]);
    if (!loaded.ok) return;
    const { policy, controls: given } = loaded.config.auth;
    expect(policySettings(policy, () => "moved: Umgezogen\n").rules).toHaveLength(policy.policies.length);
    expect(controlSettings(given).rbl?.rbl.lists).toEqual(
      given.enabled.includes("rbl") ? expect.any(Array) : undefined,
    );
  });
});

test.each(Object.keys(policyFacts))("the guide names the fact %s", (name) => {
  expect(guide).toContain(`\`${name}\``);
});

test("the guide names every text that is built in", () => {
  for (const key of builtInCatalogues.flatMap(({ texts }) => [...texts.keys()])) expect(guide).toContain(`\`${key}\``);
});

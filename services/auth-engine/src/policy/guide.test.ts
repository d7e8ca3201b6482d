import { readFileSync } from "node:fs";
import { join } from "node:path";
import { builtInCatalogues } from "@postern/shared/domain/localisation";
import { loadConfig } from "@postern/shared/platform/config";
import { policyFacts } from "@postern/shared/platform/policies";
import { describe, expect, test } from "vitest";
import { controlSettings } from "../controls/control-settings.ts";
import { policySettings } from "./policy-settings.ts";

const docs = join(import.meta.dirname, "../../../../docs");
const guide = readFileSync(join(docs, "operate/policies.md"), "utf8");
const controls = readFileSync(join(docs, "operate/controls.md"), "utf8");

const examples = [...`${guide}\n${controls}`.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = ""]) => text);

test("the guides have examples", () => {
  expect(examples.length).toBeGreaterThanOrEqual(6);
});

describe("the examples of the guides", () => {
  // Settings that the examples leave out: a secret, and the brute-force rules.
  const env = { SERVICE_STORAGE_REDIS_PASSWORD_NONCE: "a nonce of the site" };
  const leftOut = new Set(["auth.controls.enabled", "auth.controls.brute_force.buckets"]);

  test.each(examples)("example %# loads and compiles", (text) => {
    const loaded = loadConfig({ text, env, readFile: () => "" });
    expect(loaded.ok ? [] : loaded.problems).toEqual([]);
    const warned = loaded.warnings.map(({ path }) => path).filter((path) => !leftOut.has(path));
    expect(warned.filter((path) => /^auth\.(?:policy|controls|pipeline)/.test(path))).toEqual([]);
    if (!loaded.ok) return;
    const { policy, controls: controlsConfig } = loaded.config.auth;
    expect(policySettings(policy, () => "moved: Umgezogen\n").rules).toHaveLength(policy.policies.length);
    expect(controlSettings(controlsConfig).rbl?.rbl.lists).toEqual(
      controlsConfig.enabled.includes("rbl") ? expect.any(Array) : undefined,
    );
  });
});

test.each(Object.keys(policyFacts))("the guide names the fact %s", (name) => {
  expect(guide).toContain(`\`${name}\``);
});

test("the guide lists every built-in text", () => {
  for (const key of builtInCatalogues.flatMap(({ texts }) => [...texts.keys()])) expect(guide).toContain(`\`${key}\``);
});

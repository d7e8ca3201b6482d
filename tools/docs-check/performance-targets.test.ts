import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRecorded } from "../../bench/report/record.ts";
import type { Results } from "../../bench/report/results.ts";
import { targetsOf } from "../../bench/report/targets.ts";
import { faultsOf, parseExplanations } from "../performance-targets/page.ts";

const root = join(import.meta.dirname, "../..");
const { machine, targets } = readRecorded();
const nothing: Results = {
  machine,
  rows: [],
  starts: [],
  memories: [],
  beside: [],
  endurance: [],
  management: [],
  consolePages: [],
};
const services = ["gateway", "auth-engine", "idp", "admin", "jobs-worker"];

test("every target of the benchmark was measured and is recorded", () => {
  const titles = targetsOf(nothing).map(({ title }) => title);
  const ofServices = services.flatMap((name) => [`${name}: start to ready`, `${name}: memory idle`]);
  const loaded = ["gateway: memory loaded, LDAP", "auth-engine: memory loaded, LDAP"];
  const recorded = new Set(targets.filter(({ met }) => met !== undefined).map(({ title }) => title));
  expect(titles.length).toBeGreaterThan(30);
  expect([...titles, ...ofServices, ...loaded].filter((title) => !recorded.has(title))).toEqual([]);
});

test("every missed target is explained, and every explanation belongs to a target", () => {
  const text = readFileSync(join(root, "bench/recorded/explanations.md"), "utf8");
  expect(faultsOf(targets, parseExplanations(text))).toEqual([]);
});

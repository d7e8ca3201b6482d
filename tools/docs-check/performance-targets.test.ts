import { expect, test } from "vitest";
import { readRecorded } from "../../bench/report/record.ts";
import type { Results } from "../../bench/report/results.ts";
import { targetsOf } from "../../bench/report/targets.ts";

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
  expect(titles.length).toBeGreaterThan(20);
  expect([...titles, ...ofServices, ...loaded].filter((title) => !recorded.has(title))).toEqual([]);
});

test("every target is met, or changed with a reason in a decision record", () => {
  expect(targets.filter(({ met }) => met !== true).map(({ title }) => title)).toEqual([]);
});

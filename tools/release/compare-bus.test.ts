import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { busSchemas, encodeMessage, type RecordedBus } from "./bus-messages.ts";
import { busProblems } from "./compare-bus.ts";
import type { Schema } from "./message-samples.ts";

const last: RecordedBus = JSON.parse(readFileSync(join(import.meta.dirname, "last-release-bus.json"), "utf8"));

test("services of the last release and of the tree understand each other's messages on the bus", () => {
  expect(Object.keys(last.schemas).length).toBeGreaterThan(40);
  expect(Object.values(last.messages).flat().length).toBeGreaterThan(60);
  expect(busProblems(last, busSchemas())).toEqual([]);
});

const name = "engine.example.v1 request";
const base: Schema = {
  type: "object",
  required: ["user", "result"],
  properties: {
    user: { type: "string", minLength: 1, maxLength: 8 },
    result: { anyOf: [{ const: "ok" }, { const: "fail" }] },
    count: { type: "integer", minimum: 0, maximum: 9 },
    labels: { type: "object", patternProperties: { "^.*$": { type: "string" } } },
    list: { type: "array", items: { type: "boolean" }, maxItems: 3 },
  },
};
const recorded: RecordedBus = {
  version: "1.0.0",
  schemas: { [name]: base },
  messages: { [name]: [encodeMessage({ user: "x", result: "ok" })] },
};
const withMember = (member: string, schema: Schema, required = base.required ?? []): Schema => ({
  ...base,
  required,
  properties: { ...base.properties, [member]: schema },
});

test("the same schema, a new optional member and a new message are compatible", () => {
  for (const schema of [base, withMember("added", { type: "string" })])
    expect(busProblems(recorded, { [name]: schema, "engine.added.v1 request": base })).toEqual([]);
});

test.each<[string, Schema | undefined, string]>([
  ["a message is removed", undefined, "is missing"],
  [
    "a new member is required",
    withMember("added", { type: "string" }, ["user", "result", "added"]),
    "the tree rejects",
  ],
  ["a required member becomes optional", { ...base, required: ["user"] }, "the last release rejects"],
  ["an optional member becomes required", { ...base, required: ["user", "result", "count"] }, "the tree rejects"],
  ["the type of a member changes", withMember("count", { type: "string" }), "the tree rejects"],
  ["a maximum shrinks", withMember("user", { type: "string", minLength: 1, maxLength: 7 }), "the tree rejects"],
  ["a maximum grows", withMember("count", { type: "integer", minimum: 0, maximum: 10 }), "the last release rejects"],
  [
    "a list becomes longer",
    withMember("list", { type: "array", items: { type: "boolean" }, maxItems: 4 }),
    "the last release rejects",
  ],
  ["an alternative is removed", withMember("result", { anyOf: [{ const: "ok" }] }), "the tree rejects"],
  [
    "an alternative is added",
    withMember("result", { anyOf: [{ const: "ok" }, { const: "fail" }, { const: "wait" }] }),
    "the last release rejects",
  ],
])("a planted break is found: %s", (_, schema, problem) => {
  const problems = busProblems(recorded, schema === undefined ? {} : { [name]: schema });
  expect(problems.join("\n")).toContain(problem);
});

test("a message whose encoding changed is found", () => {
  const other = {
    ...recorded,
    messages: { [name]: ["a26475736572617866726573756c74626f6b"] },
  };
  expect(busProblems(other, { [name]: base }).join()).toContain("another encoding");
});

import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { operations } from "../../contracts/index.ts";
import { defineOperation } from "../../contracts/operations/define-operation.ts";
import { defineFamily } from "../../contracts/operations/route-family.ts";
import { openapiDocument, renderOpenapi } from "./document.ts";

const audiences = ["management", "idp"] as const;

test.each(audiences)("the %s document is valid OpenAPI 3.1", async (audience) => {
  const result = await new Validator().validate(JSON.parse(JSON.stringify(openapiDocument({ audience }))));
  expect(result).toEqual({ valid: true });
});

/** Another validator, whose rules cover the whole vocabulary of JSON Schema 2020-12. */
async function problemsOf(source: string): Promise<readonly string[]> {
  const config = await createConfig({ rules: { struct: "error", "no-unresolved-refs": "error" } });
  const problems = await lintFromString({ source, absoluteRef: "/openapi.json", config });
  return problems.map(({ message, location }) => `${location[0]?.pointer ?? ""}: ${message}`);
}

test.each(audiences)("another validator accepts the %s document too, in both formats", async (audience) => {
  const { json, yaml } = renderOpenapi({ audience });
  expect(await problemsOf(json)).toEqual([]);
  expect(await problemsOf(yaml)).toEqual([]);
});

test("an invalid document is rejected by the same checks", async () => {
  const broken = { ...openapiDocument({ audience: "idp" }), paths: { "/x": { get: { responses: "none" } } } };
  expect((await new Validator().validate(broken)).valid).toBe(false);
  expect(await problemsOf(JSON.stringify(broken))).not.toEqual([]);
});

test.each(audiences)("the %s document has no draft-07 tuples", (audience) => {
  const { json } = renderOpenapi({ audience });
  expect(json).not.toContain('"additionalItems"');
  expect(json).not.toContain('"items":[');
  if (audience === "management") expect(json).toContain('"prefixItems":[');
});

test.each(audiences)("YAML 1.1 and 1.2 parsers read the %s document identically", (audience) => {
  const { json, yaml } = renderOpenapi({ audience });
  expect(parse(yaml, { version: "1.1" })).toEqual(JSON.parse(json));
  expect(parse(yaml, { version: "1.2" })).toEqual(JSON.parse(json));
});

test("operation identifiers are unique, and each path's parameters are described", () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, request } of operations) {
    const names = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name);
    expect([path, Object.keys(request?.path?.properties ?? {})]).toEqual([path, names]);
  }
});

test("a site's own names replace the neutral ones", () => {
  const names = { identifier: "mail-gate", proxySegment: "nginx", saslSegment: "saslauthd" };
  const { json } = renderOpenapi({ audience: "management", names });
  expect(json).toContain('"/api/v1/auth/nginx"');
  expect(json).toContain('"/api/v1/auth/saslauthd"');
  expect(json).toContain('"X-Mail-Gate-Session"');
  expect(json).toContain('"mail-gate:security"');
  expect(json).not.toMatch(/X-Service-|"service:|auth\/proxy|auth\/sasl"/u);
});

test("a back channel operation describes who may call it and how a caller is rejected", () => {
  const document = JSON.parse(renderOpenapi({ audience: "management" }).json);
  const { security, responses } = document.paths["/api/v1/config/load"].get;
  expect(security).toEqual([
    { backchannelBasic: [] },
    { backchannelBearer: ["service:authenticate", "service:security"] },
    { backchannelBearer: ["service:authenticate", "service:admin"] },
  ]);
  expect(Object.keys(responses)).toEqual(["200", "401", "403", "404", "429", "500", "503"]);
  expect(document.paths["/api/v1/openapi.json"].get.security).toEqual([
    { backchannelBasic: [] },
    { backchannelBearer: ["service:authenticate"] },
  ]);
});

const operationOf = (schema: ReturnType<typeof Type.Object>, path: string) =>
  defineOperation({
    family: defineFamily({ name: "test", prefix: path, owner: "idp", channel: "front" }),
    method: "get",
    path,
    operationId: path.slice(1),
    summary: path,
    tag: "Test",
    audience: "idp",
    security: "none",
    answers: { 200: { description: "ok", content: { "application/json": schema } } },
  });

test("two different schemas with the same title are rejected", () => {
  const two = [
    operationOf(Type.Object({ a: Type.String() }, { title: "T" }), "/a"),
    operationOf(Type.Object({}, { title: "T" }), "/b"),
  ];
  expect(() => openapiDocument({ audience: "idp", operations: two })).toThrow("two schemas have the title T");
});

import { Validator } from "@seriousme/openapi-schema-validator";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { operations } from "../contracts/index.ts";
import { defineOperation } from "../contracts/openapi/define-operation.ts";
import { openapiDocument } from "./document.ts";
import { renderOpenapi } from "./render.ts";

const audiences = ["management", "idp"] as const;

test.each(audiences)("the %s document is valid OpenAPI 3.1", async (audience) => {
  const result = await new Validator().validate(JSON.parse(JSON.stringify(openapiDocument({ audience }))));
  expect(result).toEqual({ valid: true });
});

test("a document that is none is refused by the same check", async () => {
  const broken = { ...openapiDocument({ audience: "idp" }), paths: { "/x": { get: { responses: "none" } } } };
  expect((await new Validator().validate(broken)).valid).toBe(false);
});

test("operation identifiers are unique, and each path's parameters are described", () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, request } of operations) {
    const names = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name);
    expect([path, Object.keys(request?.path?.properties ?? {})]).toEqual([path, names]);
  }
});

test("a site's own words stand where the neutral ones are", () => {
  const names = { identifier: "mail-gate", proxySegment: "nginx", saslSegment: "saslauthd" };
  const { json } = renderOpenapi({ audience: "management", names });
  expect(json).toContain('"/api/v1/auth/nginx"');
  expect(json).toContain('"/api/v1/auth/saslauthd"');
  expect(json).toContain('"X-Mail-Gate-Session"');
  expect(json).toContain('"mail-gate:security"');
  expect(json).not.toMatch(/X-Service-|"service:|auth\/proxy|auth\/sasl"/u);
});

test("a back channel operation says who may ask and how a caller is rejected", () => {
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
    method: "get",
    path,
    operationId: path.slice(1),
    summary: path,
    tag: "Test",
    audience: "idp",
    security: "none",
    answers: { 200: { description: "ok", content: { "application/json": schema } } },
  });

test("two different schemas of one title are refused", () => {
  const two = [
    operationOf(Type.Object({ a: Type.String() }, { title: "T" }), "/a"),
    operationOf(Type.Object({}, { title: "T" }), "/b"),
  ];
  expect(() => openapiDocument({ audience: "idp", operations: two })).toThrow("two schemas have the title T");
});

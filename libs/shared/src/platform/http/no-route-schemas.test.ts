import Fastify from "fastify";
import { expect, test } from "vitest";
import { noRouteSchemas } from "./no-route-schemas.ts";

test("a service with a route that has a schema for Fastify does not start", async () => {
  await using app = Fastify({ ...noRouteSchemas });
  app.get("/plain", () => "answered");
  app.get("/typed", { schema: { querystring: { type: "object" } } }, () => "answered");
  await expect(app.ready()).rejects.toThrow("describe the operation in the contracts");
});

test("routes without a schema answer", async () => {
  await using app = Fastify({ ...noRouteSchemas });
  app.get("/json", () => ({ answered: true }));
  const { statusCode, body } = await app.inject("/json");
  expect({ statusCode, body }).toEqual({ statusCode: 200, body: '{"answered":true}' });
});

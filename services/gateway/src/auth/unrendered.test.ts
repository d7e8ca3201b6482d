import type { AppError } from "@postern/shared/platform/errors";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { wireNames } from "../http/naming.ts";
import { createUnrendered } from "./register.ts";

test("an answer that cannot be rendered becomes a logged 500", async () => {
  const failed: [session: string, error: AppError][] = [];
  const names = wireNames("Postern");
  const unrendered = createUnrendered(names, { failed: (session, error) => void failed.push([session, error]) });
  await using app = Fastify({ genReqId: () => "session-1" });
  const cause = new Error("no such header");
  app.get("/", (request, reply) => {
    reply.hijack();
    Promise.reject(cause).catch((thrown: unknown) => unrendered(thrown, request, reply));
  });
  const { statusCode, headers, body } = await app.inject("/");
  expect([statusCode, headers[names.session.toLowerCase()]]).toEqual([500, "session-1"]);
  expect(JSON.parse(body)).toEqual({ error: expect.any(String) });
  expect(failed).toMatchObject([["session-1", { code: "INTERNAL", cause }]]);
});

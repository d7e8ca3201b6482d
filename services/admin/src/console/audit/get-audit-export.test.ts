import { once } from "node:events";
import { connect } from "node:net";
import type { AuditHistoryPage, ReadAuditHistory } from "@postern/shared/domain/history";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { getAuditExport } from "./get-audit-export.ts";

/** For a busy machine. */
const patient = { timeout: 20_000 };
const page = (...events: readonly string[]): AuditHistoryPage => ({ entries: events.map((event) => ({ event })) });

async function appWith(read: ReadAuditHistory) {
  const outcomes: string[] = [];
  const app = Fastify();
  app.decorateRequest("caller", null);
  const audit = { record: ({ outcome }: { readonly outcome: string }) => void outcomes.push(outcome) };
  app.get("/export", getAuditExport({ readAuditHistory: read, audit, domains: { current: undefined } }));
  return { app, outcomes };
}

test("an export is recorded once, with the outcome of its last page", async () => {
  const pages = [{ ...page("one"), next: "cursor" }, page("two")];
  const whole = await appWith(async () => pages.shift() ?? page());
  await using wholeApp = whole.app;
  const { body } = await wholeApp.inject({ url: "/export", query: { format: "jsonl" } });
  expect(body).toBe('{"event":"one"}\n{"event":"two"}\n');
  await expect.poll(() => whole.outcomes, patient).toEqual(["ok"]);

  const broken = await appWith(async ({ cursor }) => {
    if (cursor !== undefined) throw new Error("Redis is unavailable");
    return { ...page("one"), next: "cursor" };
  });
  await using brokenApp = broken.app;
  await expect(brokenApp.inject({ url: "/export", query: { format: "jsonl" } })).rejects.toThrow(/./u);
  await expect.poll(() => broken.outcomes, patient).toEqual(["failed"]);
});

test("an export whose client disconnects before the first line is recorded", async () => {
  const requested = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const { app, outcomes } = await appWith(async () => {
    requested.resolve();
    await left.promise;
    return page("one");
  });
  await using served = app;
  served.addHook("onRequest", async (_request, reply) => {
    reply.raw.once("close", () => left.resolve());
  });
  const { port } = new URL(await served.listen({ host: "127.0.0.1", port: 0 }));
  const client = connect(Number(port), "127.0.0.1");
  await once(client, "connect");
  client.write("GET /export HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await requested.promise;
  client.destroy();
  await expect.poll(() => outcomes, patient).toEqual(["failed"]);
});

import Fastify from "fastify";
import { expect, test } from "vitest";
import { getHistoryExport } from "./get-history-export.ts";

test("each time from which on a caller reads is audited, once in ten minutes whatever the cursor", async () => {
  const audited: (string | undefined)[] = [];
  let nowMs = 0;
  await using app = Fastify();
  app.decorateRequest("caller", null);
  const history = { page: async () => ({ histories: [], done: 1 }) };
  const audit = { record: ({ target }: { readonly target?: string | undefined }) => void audited.push(target) };
  app.get(
    "/export",
    getHistoryExport({ history, audit, clock: { now: () => nowMs }, domains: { current: undefined } }),
  );
  const read = async (query: Readonly<Record<string, string>>): Promise<void> => {
    expect((await app.inject({ url: "/export", query })).statusCode).toBe(200);
  };
  const future = "2099-01-01T00:00:00.000Z";
  await read({ since: future });
  await read({ since: future, cursor: "3:17" });
  await read({ cursor: "3:17" });
  await read({});
  expect(audited).toEqual([future, ""]);
  nowMs = 600_000;
  await read({});
  expect(audited).toEqual([future, "", ""]);
});

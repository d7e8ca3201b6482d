import type { FindAccountNames } from "@postern/shared/domain/flush";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { getHistory } from "./get-history.ts";

const history = {
  ofAccount: async () => [],
  ofNetwork: async () => [],
  ofReference: async () => undefined,
};

const locate = async () => ({ state: "off" as const, placeOf: () => ({}) });

async function pageFor(accountNames: FindAccountNames): Promise<unknown> {
  await using app = Fastify();
  app.decorateRequest("caller", null);
  app.get(
    "/history",
    getHistory({ history, accountNames, auditReads: () => undefined, locate, domains: { current: undefined } }),
  );
  return (await app.inject({ url: "/history", query: { account: "alias" } })).json();
}

test("an alias whose account no backend could name is not reported as one without sign-ins", async () => {
  const isDenied = false;
  expect(await pageFor(async () => ({ accounts: [], spellings: [], isComplete: false, isDenied }))).toEqual({
    records: [],
    incomplete: [expect.stringContaining("backend")],
  });
  expect(await pageFor(async () => ({ accounts: [], spellings: [], isComplete: true, isDenied }))).toEqual({
    records: [],
  });
  expect(
    await pageFor(async () => ({ accounts: ["a@example.test"], spellings: [], isComplete: false, isDenied })),
  ).toEqual({
    records: [],
  });
});

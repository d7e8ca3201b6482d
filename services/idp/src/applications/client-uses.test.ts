import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import { createClientUses } from "./client-uses.ts";
import type { ClientUse } from "./client-uses-redis.ts";

function noting() {
  const written: (readonly ClientUse[])[] = [];
  const state = { nowMs: 1_000_000, isDown: false, errors: 0 };
  const uses = createClientUses(
    {
      write: async (batch) => {
        if (state.isDown) throw new AppError("REDIS_UNAVAILABLE");
        written.push(batch);
      },
    },
    () => state.nowMs,
    3_600_000,
    () => {
      state.errors += 1;
    },
  );
  return { uses, written, state };
}

test("any number of uses of a client is one entry of a batch, with the time of the last", async () => {
  const { uses, written, state } = noting();
  for (let index = 0; index < 1000; index += 1) uses.note("oidc", "webmail");
  state.nowMs += 5000;
  uses.note("oidc", "webmail");
  uses.note("saml", "webmail");
  await uses.close();
  await uses.close();
  expect(written).toEqual([
    [
      { kind: "oidc", id: "webmail", atSeconds: 1005 },
      { kind: "saml", id: "webmail", atSeconds: 1005 },
    ],
  ]);
});

test("uses that could not be written are written with the next batch, unless a later use replaces them", async () => {
  const { uses, written, state } = noting();
  uses.note("oidc", "webmail");
  uses.note("oidc", "wiki");
  state.isDown = true;
  const failed = uses.flush();
  state.nowMs += 9000;
  uses.note("oidc", "wiki");
  await failed;
  expect([written, state.errors]).toEqual([[], 1]);
  state.isDown = false;
  await uses.close();
  expect(written).toEqual([
    [
      { kind: "oidc", id: "webmail", atSeconds: 1000 },
      { kind: "oidc", id: "wiki", atSeconds: 1009 },
    ],
  ]);
});

test("a batch is bounded", async () => {
  const { uses, written } = noting();
  for (let index = 0; index < 12_000; index += 1) uses.note("oidc", `client-${index}`);
  await uses.close();
  expect(written.map((batch) => batch.length)).toEqual([10_000]);
});

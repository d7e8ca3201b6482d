import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectDegraded, publicStatus, startStatusStack } from "../../integration/gateway/status-stack.ts";
import type { Stack } from "../../support/stack.ts";

let stack: Stack;
let front: string;

beforeAll(async () => {
  ({ stack, front } = await startStatusStack({ services: ["idp"] }));
});

afterAll(() => stack[Symbol.asyncDispose]());

/** A failure is published after the second observation of it. */
const until = (word: string): Promise<boolean> =>
  poll(`the status ${word}`, async () => (await publicStatus(front)).status === word);

const losses: readonly { readonly of: string; readonly lose: () => unknown; readonly restore: () => unknown }[] = [
  {
    of: "the engine",
    lose: () => stack.engines[0]?.signal("SIGSTOP"),
    restore: () => stack.engines[0]?.signal("SIGCONT"),
  },
  { of: "Redis", lose: () => stack.redis?.signal("SIGSTOP"), restore: () => stack.redis?.signal("SIGCONT") },
  {
    of: "the identity provider",
    lose: () => stack.services.get("idp")?.signal("SIGSTOP"),
    restore: () => stack.services.get("idp")?.signal("SIGCONT"),
  },
  { of: "NATS", lose: () => stack.nats.stop(), restore: () => stack.startNats() },
];

test.each(losses)(
  "without $of, sign-in is degraded until it returns, and nothing says why",
  async ({ lose, restore }) => {
    await until("works");
    const lostMs = Date.now();
    await lose();
    try {
      await until("degraded");
      await expectDegraded(front, lostMs);
    } finally {
      await restore();
    }
    await until("works");
    expect(await publicStatus(front)).toEqual({ status: "works" });
  },
);

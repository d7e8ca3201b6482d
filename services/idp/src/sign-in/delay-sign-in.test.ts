import { createResponseDelays, type DelayedResponse, type ResponseDelays } from "@postern/shared/platform/concurrency";
import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import type { KnownDevices } from "../user-notifications/known-devices-redis.ts";
import { createDelaySignIn, type DelayedSignIn } from "./delay-sign-in.ts";

/** Delays that end only when the test ends them. */
function delayOf(knows?: KnownDevices["knows"]) {
  const real = createResponseDelays();
  const held: DelayedResponse[] = [];
  const responseDelays: ResponseDelays = {
    delay: (one, answer) => {
      const cancel = real.delay({ ...one, ms: 3_600_000 }, answer);
      if (cancel !== undefined) held.push(one);
      return cancel;
    },
    end: () => real.end(),
  };
  const lines: unknown[] = [];
  const logger = { info: (fields: object) => void lines.push(fields) };
  const delaySignIn = createDelaySignIn(responseDelays, knows === undefined ? undefined : { knows }, 2, logger);
  const signIn = (change: Partial<DelayedSignIn> = {}): Promise<void> =>
    delaySignIn({
      accountDelayMs: 400,
      account: "alice",
      deviceToken: "device",
      clientIp: "192.0.2.1",
      session: "s1",
      signal: new AbortController().signal,
      ...change,
    });
  const untilHeld = (count: number) => expect.poll(() => held.length).toBe(count);
  return { signIn, held, lines, untilHeld, end: () => responseDelays.end() };
}

test("a sign-in is delayed by the time that the engine requests, and the delay is logged", async () => {
  const { signIn, held, lines, untilHeld, end } = delayOf();
  const waiting = signIn();
  await untilHeld(1);
  expect(held).toEqual([{ key: "192.0.2.1", ms: 400, maxPerKey: 2 }]);
  expect(lines).toEqual([{ session: "s1", held_ms: 400 }]);
  end();
  await waiting;
});

test("a sign-in is delayed by at most three seconds", async () => {
  const { signIn, held, untilHeld, end } = delayOf();
  const waiting = signIn({ accountDelayMs: 60_000 });
  await untilHeld(1);
  expect(held[0]?.ms).toBe(3000);
  end();
  await waiting;
});

test("an account that is not under attack is not delayed, and its devices are not read", async () => {
  const { signIn, held } = delayOf(() => Promise.reject(new Error("read")));
  await signIn({ accountDelayMs: 0 });
  expect(held).toEqual([]);
});

test("a known browser is not delayed, and no browser is delayed while known devices cannot be read", async () => {
  const known = delayOf(async (account, token) => account === "alice" && token === "device");
  await known.signIn();
  expect(known.held).toEqual([]);
  const away = delayOf(() => Promise.reject(new AppError("REDIS_UNAVAILABLE")));
  await away.signIn();
  expect(away.held).toEqual([]);
});

test.each([
  ["with another cookie", { deviceToken: "another" }],
  ["without a cookie", { deviceToken: undefined }],
  ["known to another account only", { account: "bob" }],
])("a browser %s is delayed", async (_what, change) => {
  const { signIn, held, untilHeld, end } = delayOf(async (account, token) => account === "alice" && token === "device");
  const waiting = signIn(change);
  await untilHeld(1);
  expect(held[0]).toMatchObject({ ms: 400 });
  end();
  await waiting;
});

test("delayed sign-ins from one address are limited; further ones continue immediately", async () => {
  const { signIn, held, untilHeld, end } = delayOf();
  const waiting = [signIn(), signIn()];
  await untilHeld(2);
  await signIn();
  expect(held).toHaveLength(2);
  waiting.push(signIn({ clientIp: "192.0.2.2" }));
  await untilHeld(3);
  end();
  await Promise.all(waiting);
});

test("a browser that disconnects frees its place", async () => {
  const { signIn, held, untilHeld, end } = delayOf();
  const gone = new AbortController();
  const waiting = [signIn({ signal: gone.signal }), signIn()];
  await untilHeld(2);
  gone.abort();
  await waiting[0];
  waiting.push(signIn());
  await untilHeld(3);
  expect(held.map(({ key }) => key)).toEqual(Array.from({ length: 3 }, () => "192.0.2.1"));
  end();
  await Promise.all(waiting);
});

import { expect, test } from "vitest";
import { isKnownDevice, isProven } from "./suspicious-sign-ins.ts";

const dayMinutes = 1440;
const minute = 30_000_000;
const nowMs = (minute + 5) * 60_000;
const signedInAt = (at: number) => ({ loginTs: at * 60 });

test("a browser is a known device if its session began a day before the suspicious sign-in", () => {
  expect(isKnownDevice(signedInAt(minute - dayMinutes), { minute }, dayMinutes)).toBe(true);
  expect(isKnownDevice(signedInAt(minute - dayMinutes + 1), { minute }, dayMinutes)).toBe(false);
  expect(isKnownDevice(signedInAt(minute + 1), { minute }, 0)).toBe(false);
});

test("a second factor proves the user for ten minutes, the password alone never does", () => {
  const nowSeconds = Math.floor(nowMs / 1000);
  expect(isProven({ loginTs: nowSeconds, mfaTs: nowSeconds - 599 }, nowMs)).toBe(true);
  expect(isProven({ loginTs: nowSeconds, mfaTs: nowSeconds - 601 }, nowMs)).toBe(false);
  expect(isProven({ loginTs: nowSeconds }, nowMs)).toBe(false);
});

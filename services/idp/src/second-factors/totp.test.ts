import { typedCode } from "@postern/shared/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { matchTotp, matchTotpAt, readTotpSecret, totpTimes } from "./totp.ts";

/** RFC 6238, appendix B: "12345678901234567890" in base32; the last six of its eight digits. */
const rfcSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

test.each([
  [59, "287082"],
  [1111111109, "081804"],
  [1111111111, "050471"],
  [1234567890, "005924"],
  [2000000000, "279037"],
])("at %d s the code is %s, and a match returns its step", (seconds, code) => {
  expect(matchTotp({ stored: rfcSecret, code, nowMs: seconds * 1000, skew: 1 })).toBe(Math.floor(seconds / 30));
});

test("a code of another step within the permitted skew matches that step", () => {
  const nowMs = 1111111109 * 1000;
  const check = (shiftSteps: number, skew: number) =>
    matchTotp({ stored: rfcSecret, code: "081804", nowMs: nowMs + shiftSteps * 30_000, skew });
  const step = Math.floor(1111111109 / 30);
  expect([check(1, 1), check(-1, 1), check(2, 1), check(-2, 1), check(1, 0), check(2, 2)]).toEqual([
    step,
    step,
    undefined,
    undefined,
    undefined,
    step,
  ]);
});

test("secrets of 10 bytes are accepted in any notation, and so are otpauth URLs with the usual period", () => {
  expect(readTotpSecret("jbsw y3dp-ehpk3pxp==")?.secret).toBe("JBSWY3DPEHPK3PXP");
  const url = "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&algorithm=SHA256&digits=8";
  expect(readTotpSecret(url)).toEqual({ secret: "JBSWY3DPEHPK3PXP", digits: 8, algorithm: "sha256" });
  expect(readTotpSecret("otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&period=60")).toBeUndefined();
  expect(matchTotp({ stored: "JBSWY3DPEHPK3PXP", code: "000000", nowMs: 0, skew: 0 })).toBeUndefined();
});

test("only the six digits are accepted, with or without separators", () => {
  fc.assert(
    fc.property(fc.string(), (code) => {
      fc.pre(typedCode(code) !== "287082");
      expect(matchTotp({ stored: rfcSecret, code, nowMs: 59_000, skew: 0 })).toBeUndefined();
    }),
  );
  for (const code of [" 287-082 ", "287–082", "２８７\u3000０８２", "287082\u200B", "٢٨٧٠٨٢"]) {
    expect(matchTotp({ stored: rfcSecret, code, nowMs: 59_000, skew: 0 })).toBe(1);
  }
});

test("a code that is right by either of two clocks matches, and one that is right by neither does not", () => {
  const check = { stored: rfcSecret, code: "081804", skew: 1 };
  const rightMs = 1111111109 * 1000;
  expect(matchTotpAt([rightMs + 3_600_000, rightMs], check)).toBe(Math.floor(1111111109 / 30));
  expect(matchTotpAt([rightMs + 3_600_000, rightMs - 3_600_000], check)).toBeUndefined();
});

test("clocks that differ by less than a step count as one, so that no more codes are accepted", () => {
  expect(totpTimes({ now: () => 100_000 }, { now: () => 129_999 })()).toEqual([100_000]);
  expect(totpTimes({ now: () => 100_000 }, { now: () => 130_000 })()).toEqual([100_000, 130_000]);
});

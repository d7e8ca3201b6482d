import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeFrames, encodeFrames, type Frame, FrameError, frameHeaderBytes } from "./frames.ts";

const frame = fc.record({
  id: fc.integer({ min: 0, max: 0xffff_ffff }),
  deadlineMs: fc.double({ min: 0, max: 8.64e15, noNaN: true }),
  body: fc.uint8Array({ maxLength: 200 }),
  isError: fc.boolean(),
});
const frames = fc.array(frame, { maxLength: 20 });

function read(bytes: Buffer): { seen: Frame[]; error: unknown } {
  const seen: Frame[] = [];
  try {
    decodeFrames(bytes, ({ body, ...rest }) => seen.push({ ...rest, body: Uint8Array.from(body) }));
  } catch (error) {
    return { seen, error };
  }
  return { seen, error: undefined };
}

const plain = (list: readonly Frame[]): object[] =>
  list.map((each) => ({ ...each, deadlineMs: each.deadlineMs + 0, body: Array.from(each.body) }));

describe("frames", () => {
  test("encoded frames are decoded in order", () => {
    fc.assert(
      fc.property(frames, (list) => {
        const { seen, error } = read(encodeFrames(list));
        expect(error).toBeUndefined();
        expect(plain(seen)).toEqual(plain(list));
      }),
    );
  });

  test("a truncated message yields its complete frames, then a FrameError", () => {
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 8 }), fc.nat(), (list, at) => {
        const bytes = encodeFrames(list);
        const cut = at % bytes.length;
        let end = 0;
        const whole = list.filter(({ body }) => (end += frameHeaderBytes + body.length) <= cut);
        const { seen, error } = read(bytes.subarray(0, cut));
        expect(plain(seen)).toEqual(plain(whole));
        const atBorder = cut === whole.reduce((sum, { body }) => sum + frameHeaderBytes + body.length, 0);
        expect(error instanceof FrameError).toBe(!atBorder);
      }),
    );
  });

  test("arbitrary bytes cause only FrameError, and no view exceeds the message", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const { seen, error } = read(Buffer.from(bytes));
        expect(error === undefined || error instanceof FrameError).toBe(true);
        const used = seen.reduce((sum, { body }) => sum + frameHeaderBytes + body.length, 0);
        expect(used).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 9e15])("a deadline of %d is malformed", (deadlineMs) => {
    const bytes = encodeFrames([{ id: 1, deadlineMs, body: new Uint8Array(0), isError: false }]);
    expect(read(bytes).error).toBeInstanceOf(FrameError);
  });
});

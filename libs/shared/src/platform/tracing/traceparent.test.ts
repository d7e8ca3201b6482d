import fc from "fast-check";
import { expect, test } from "vitest";
import { formatTraceparent, parseTraceparent } from "./otlp-tracer.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";
const hex = (length: number) =>
  fc
    .string({ unit: fc.constantFrom(..."0123456789abcdef".split("")), minLength: length, maxLength: length })
    .filter((text) => /[^0]/.test(text));

test.each([
  [`00-${traceId}-${spanId}-01`, true],
  [`00-${traceId}-${spanId}-00`, false],
  [`00-${traceId}-${spanId}-03`, true],
  // A later version may append members.
  [`cc-${traceId}-${spanId}-01-what-comes-later`, true],
])("%s is read", (text, isSampled) => {
  expect(parseTraceparent(text)).toEqual({ traceId, spanId, isSampled });
});

test.each([
  undefined,
  "",
  "00",
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${traceId}-${spanId}-1`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  ` 00-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  `cc-${traceId}-${spanId}-01-${"x".repeat(300)}`,
])("%s is not valid", (text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});

test("a written header is read back unchanged", () => {
  const parts = fc.record({ traceId: hex(32), spanId: hex(16), isSampled: fc.boolean() });
  fc.assert(
    fc.property(parts, (each) => {
      expect(parseTraceparent(formatTraceparent(each))).toEqual(each);
    }),
  );
});

test("any text is read as itself or not at all", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."0123456789abcdef-".split("")), maxLength: 80 }), (text) => {
      const read = parseTraceparent(text);
      if (read !== undefined) expect(text.slice(3, 52)).toBe(`${read.traceId}-${read.spanId}`);
    }),
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Span } from "../tracing/tracer.ts";
import { parseTraces, traceHeader, tracesOf } from "./trace-header.ts";

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef".split("")), minLength: length, maxLength: length });
const traceparent = fc.tuple(hex(32), hex(16)).map(([trace, span]) => `00-${trace}-${span}-01`);

function spanOf(parent: string): Span {
  return { traceId: parent.slice(3, 35), traceparent: parent, set: () => undefined, end: () => undefined };
}

test("the traces of a message are read by the places of their requests", () => {
  fc.assert(
    fc.property(fc.array(fc.option(traceparent, { nil: undefined }), { maxLength: 32 }), (parents) => {
      const requests = parents.map((parent) => ({ span: parent === undefined ? undefined : spanOf(parent) }));
      const headers = traceHeader(requests);
      const read = headers === undefined ? undefined : tracesOf({ headers });
      expect(parents.map((_parent, offset) => read?.get(offset))).toEqual(parents);
    }),
  );
});

test("a message without traced requests has no header", () => {
  expect(traceHeader([{ span: undefined }])).toBeUndefined();
});

test("other text is ignored, entry by entry", () => {
  const valid = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  expect(parseTraces(`x,=,1=,0=${valid},-1=${valid},2=${valid}x,1000=${valid}`)).toEqual(new Map([[0, valid]]));
  fc.assert(fc.property(fc.string(), (text) => void parseTraces(text)));
});

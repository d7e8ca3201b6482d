import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCodec } from "./codec.ts";

const text = fc.string({ unit: "grapheme" });
const plainValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.boolean(),
    fc.constant(null),
    fc.integer(),
    fc.maxSafeInteger(),
    // CBOR of an integral double is an integer, which has no negative zero.
    fc.double({ noNaN: true }).map((number) => number + 0),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      text.filter((key) => key !== "__proto__"),
      tie("value"),
      { maxKeys: 6, noNullPrototype: true },
    ),
  ),
})).value;

describe("codec", () => {
  test("plain values survive the round trip", () => {
    const codec = createCodec();
    fc.assert(
      fc.property(plainValue, (value) => {
        expect(codec.decode(codec.encode(value))).toEqual(value);
      }),
    );
  });

  test("a hostile key does not reach a prototype", () => {
    const codec = createCodec();
    const bytes = Buffer.concat([Buffer.from("a169", "hex"), Buffer.from("__proto__"), Buffer.from("a16178f5", "hex")]);
    const value = codec.decode(bytes);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value).not.toHaveProperty("x");
  });

  test("maps are plain CBOR maps, without record tags (RFC 8949 3.1)", () => {
    expect(Buffer.from(createCodec().encode({ a: 1 })).toString("hex")).toMatch(/^(a1|b90001)616101$/);
  });
});

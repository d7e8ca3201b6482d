import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseStrictJson, StrictJsonError } from "./strict-json.ts";

const parse = (text: string): unknown => parseStrictJson(Buffer.from(text));

describe("a duplicate member", () => {
  test.each([
    '{"a":1,"a":1}',
    '{"a":1,"b":2,"a":3}',
    String.raw`{"a":1,"\u0061":2}`,
    '{"x":{"a":1,"a":2}}',
    '{"x":[{"a":{"b":1,"b":2}}]}',
    '[{"a":1},{"a":1,"a":2}]',
    '{"a":{"b":1},"a":{"c":2}}',
    '{"a":{"b":1,"c":2},"a":1}',
    '{"":1,"":2}',
    '{"__proto__":1,"__proto__":2}',
    String.raw`{"\"":1,"\"":2}`,
  ])("%s", (text) => {
    expect(() => parse(text)).toThrow("duplicate member");
  });

  test("any value is rejected with a duplicate member, and otherwise parsed like JSON.parse", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue(), { minKeys: 1 }),
        fc.nat(),
        fc.array(fc.constantFrom("[", '{"x":')),
        (record, index, wrapping) => {
          const keys = Object.keys(record);
          const text = JSON.stringify(record);
          const again = JSON.stringify(keys[index % keys.length]);
          const wrapped = (inner: string): string =>
            wrapping.reduce((whole, open) => `${open}${whole}${open === "[" ? "]" : "}"}`, inner);
          expect(parse(wrapped(text))).toEqual(JSON.parse(wrapped(text)));
          expect(() => parse(wrapped(`${text.slice(0, -1)},${again}:0}`))).toThrow(StrictJsonError);
        },
      ),
    );
  });
});

test.each([
  '{"a":"b:c","d":"\\"e\\":1"}',
  String.raw`{"a":"\\","b":"\\\""}`,
  '{"a":{"x":1},"b":{"x":1}}',
  "[]",
  '"a:b"',
  "null",
  '{"__proto__":{"x":1},"constructor":1,"toString":2}',
  `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
])("%s is accepted", (text) => {
  expect(JSON.stringify(parse(text))).toBe(JSON.stringify(JSON.parse(text)));
});

test("valid JSON without duplicate members is parsed like JSON.parse", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, "\t"), (value, space) => {
      const text = JSON.stringify(value, undefined, space);
      expect(parse(text)).toEqual(JSON.parse(text));
    }),
  );
});

test("any bytes result in a value or an error, and no character is replaced", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const body = Buffer.concat([Buffer.from('{"a":"'), bytes, Buffer.from('"}')]);
      let value: unknown;
      try {
        value = parseStrictJson(body);
      } catch (error) {
        expect(error).toBeInstanceOf(StrictJsonError);
        return;
      }
      if (!body.includes("\ufffd") && !body.includes("\\u")) expect(JSON.stringify(value)).not.toContain("\ufffd");
    }),
  );
});

test("a byte order mark is rejected by name", () => {
  expect(() => parse('\ufeff{"a":1}')).toThrow("byte order mark");
  for (const text of ['{"a":1}\ufeff', "\ufeff", ""]) {
    expect(() => parse(text)).toThrow(StrictJsonError);
  }
});

test("no prototype is changed", () => {
  const value = parse('{"__proto__":{"polluted":true}}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.hasOwn(Object(value), "__proto__")).toBe(true);
  expect("polluted" in {}).toBe(false);
});

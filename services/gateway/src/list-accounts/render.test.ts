import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listTypes } from "./negotiate.ts";
import { createListRenderer, isListable } from "./render.ts";

const [cbor, json, form, text] = listTypes;

/** Decodes an array of text strings, as far as a list of accounts needs it. */
function readCborArray(bytes: Buffer): string[] {
  let at = 0;
  const head = (): { readonly major: number; readonly length: number } => {
    const first = bytes.readUInt8(at++);
    const info = first & 31;
    if (info < 24 || info === 31) return { major: first >> 5, length: info === 31 ? Number.POSITIVE_INFINITY : info };
    const size = 2 ** (info - 24);
    const length = bytes.readUIntBE(at, size);
    at += size;
    return { major: first >> 5, length };
  };
  const array = head();
  expect(array.major).toBe(4);
  const names: string[] = [];
  while (names.length < array.length && bytes[at] !== 0xff) {
    const { major, length } = head();
    expect(major).toBe(3);
    names.push(bytes.toString("utf8", at, at + length));
    at += length;
  }
  if (array.length === Number.POSITIVE_INFINITY) at += 1;
  expect(at).toBe(bytes.length);
  return names;
}

const separated = (bytes: Buffer): string[] => (bytes.length === 0 ? [] : bytes.toString("utf8").split("\r\n"));
const readers = {
  [cbor]: readCborArray,
  [json]: (bytes: Buffer): unknown => JSON.parse(bytes.toString("utf8")),
  [form]: separated,
  [text]: separated,
};

function render(type: (typeof listTypes)[number], pages: readonly (readonly string[])[]): Buffer {
  const renderer = createListRenderer(type);
  return Buffer.concat(pages.map((names, index) => renderer.page(names, index === pages.length - 1)));
}

const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 }).filter(isListable);
const pagesOfNames = fc.array(fc.array(name, { maxLength: 5 }), { minLength: 1, maxLength: 5 });

describe.each(listTypes)("a list as %s", (type) => {
  test("parses to the names of all pages in order, for any page sizes", () => {
    fc.assert(
      fc.property(pagesOfNames, (pages) => {
        expect(readers[type](render(type, pages))).toEqual(pages.flat());
      }),
    );
  });

  test("is an empty list if there are no accounts", () => {
    expect(readers[type](render(type, [[]]))).toEqual([]);
    expect(readers[type](render(type, [[], [], []]))).toEqual([]);
  });
});

test("cbor: one array of account names, of definite length when it fits into one page", () => {
  expect(render(cbor, [["alice", "bob"]])).toEqual(Buffer.from("8265616c69636563626f62", "hex"));
  expect(render(cbor, [["alice"], ["bob"]])).toEqual(Buffer.from("9f65616c69636563626f62ff", "hex"));
});

test("cbor: heads of every size", () => {
  for (const length of [0, 23, 24, 255, 256, 65_535, 65_536]) {
    const names = ["x".repeat(length)];
    expect(readCborArray(render(cbor, [names]))).toEqual(names);
  }
  const many = Array.from({ length: 70_000 }, (_value, index) => String(index));
  expect(readCborArray(render(cbor, [many]))).toEqual(many);
});

test("json, form and text", () => {
  const pages = [["alice", 'b"ob'], ["ca+rol"]];
  expect(render(json, pages).toString()).toBe('["alice","b\\"ob","ca+rol"]');
  expect(render(form, pages).toString()).toBe('alice\r\nb"ob\r\nca+rol');
  expect(render(text, pages).toString()).toBe('alice\r\nb"ob\r\nca+rol');
});

test.each(["", "a\r\nb", "a\nb", "a\u0000", "a\u0085b", "a\u2028b", "a\tb", "\u007f"])(
  "%j cannot be in a list",
  (bad) => {
    expect(isListable(bad)).toBe(false);
  },
);

test.each(["alice@example.test", "ünï@例え.test", "a b", "*"])("%j can", (good) => {
  expect(isListable(good)).toBe(true);
});

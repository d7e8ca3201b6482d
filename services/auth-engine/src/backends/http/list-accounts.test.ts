import fc from "fast-check";
import { expect, it } from "vitest";
import { namesOf } from "./list-accounts.ts";

async function* parts(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array, undefined> {
  let at = 0;
  for (const size of sizes) {
    yield bytes.subarray(at, at + size);
    at += size;
  }
  yield bytes.subarray(at);
}

async function read(bytes: Buffer, sizes: readonly number[] = []): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const name of namesOf(parts(bytes, sizes))) names.push(name);
  return names;
}

it("returns the same names however the body is divided", async () => {
  const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((text) => !/[\r\n]/.test(text));
  await fc.assert(
    fc.asyncProperty(
      fc.array(name),
      fc.array(fc.integer({ min: 1, max: 9 })),
      fc.constantFrom("\n", "\r\n"),
      fc.boolean(),
      async (names, sizes, end, isTerminated) => {
        const text = names.join(end) + (isTerminated && names.length > 0 ? end : "");
        expect(await read(Buffer.from(text), sizes)).toEqual(names);
      },
    ),
    { numRuns: 200 },
  );
});

it.each([
  ["a line without an end", Buffer.alloc(10_000, "a"), "too long"],
  ["a long line", Buffer.from(`${"a".repeat(600)}\nb\n`), "too long"],
  ["invalid UTF-8", Buffer.from([0x61, 0xff, 0x0a]), "not UTF-8"],
  ["half a character at the end", Buffer.from([0x61, 0xc3]), "not UTF-8"],
])("refuses %s", async (_what, bytes, message) => {
  await expect(read(bytes)).rejects.toThrow(message);
});

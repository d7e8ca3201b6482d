import { expect, test } from "vitest";
import { createLineGatherer } from "./line-gatherer.ts";

function start(blockChars: number) {
  const blocks: string[] = [];
  let flushed = 0;
  const writer = { write: (block: string) => blocks.push(block), flushSync: () => void (flushed += 1) };
  return { gatherer: createLineGatherer(writer, blockChars), blocks, flushed: () => flushed };
}

test("lines leave together, in their order, once a block is full", () => {
  const { gatherer, blocks } = start(10);
  for (const line of ["one\n", "two\n", "three\n", "four\n"]) gatherer.write(line);
  expect(blocks).toEqual(["one\ntwo\nthree\n"]);
});

test("what has gathered is handed over when asked, and nothing twice", () => {
  const { gatherer, blocks } = start(100);
  gatherer.write("one\n");
  gatherer.pass();
  gatherer.pass();
  expect(blocks).toEqual(["one\n"]);
});

test("flushing writes what has gathered before it waits", () => {
  const { gatherer, blocks, flushed } = start(100);
  gatherer.write("one\n");
  gatherer.flushSync();
  expect([blocks, flushed()]).toEqual([["one\n"], 1]);
});

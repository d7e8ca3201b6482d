import fc from "fast-check";
import { expect, test } from "vitest";
import { createLineGatherer } from "./standard-output.ts";

function start(blockChars: number, maxWaitingBytes = 1000, maxWaitingBytesOfAll = 2000) {
  const blocks: string[] = [];
  const rooms: number[] = [];
  let dropped = 0;
  const writer = { write: (block: string) => blocks.push(block) };
  const gatherer = createLineGatherer(writer, {
    blockChars,
    maxWaitingBytes,
    maxWaitingBytesOfAll,
    onDropped: () => void (dropped += 1),
    onRoom: (lost) => rooms.push(lost),
  });
  return { gatherer, blocks, rooms, dropped: () => dropped };
}

const info = '{"level":"info","n":1}\n';
const warn = '{"level":"warn","n":1}\n';

test("lines are passed on together and in order once a block is full", () => {
  const { gatherer, blocks } = start(10);
  for (const line of ["one\n", "two\n", "three\n", "four\n"]) gatherer.write(line);
  expect(blocks).toEqual(["one\ntwo\nthree\n"]);
});

test("collected lines are passed on when requested, and none twice", () => {
  const { gatherer, blocks } = start(100);
  gatherer.write("one\n");
  gatherer.pass();
  gatherer.pass();
  expect(blocks).toEqual(["one\n"]);
});

test("lines that were passed on count as queued until they are written or lost", () => {
  const { gatherer, dropped } = start(1);
  gatherer.write(info);
  gatherer.written(1);
  expect(gatherer.waits()).toBe(true);
  gatherer.written(info.length - 1);
  expect(gatherer.waits()).toBe(false);
  gatherer.write(info);
  gatherer.readerGone();
  expect([gatherer.waits(), gatherer.write(warn), gatherer.writeKept(info), dropped()]).toEqual([
    false,
    false,
    false,
    2,
  ]);
});

test("when too much is queued, info lines are dropped first, warnings and audit lines later", () => {
  const { gatherer, blocks, dropped } = start(1, info.length, 3 * info.length);
  expect([info, info, warn].map(gatherer.write)).toEqual([true, false, true]);
  expect(gatherer.writeKept(info)).toBe(true);
  expect([gatherer.writeKept(info), gatherer.write(warn)]).toEqual([false, false]);
  expect([blocks, dropped()]).toEqual([[info, warn, info], 3]);
});

test("room is reported once, with the number of lost lines, when half is written", () => {
  const { gatherer, rooms } = start(1, 2 * info.length, 4 * info.length);
  for (let index = 0; index < 5; index += 1) gatherer.write(info);
  gatherer.written(info.length - 1);
  expect([rooms, gatherer.write(info)]).toEqual([[], false]);
  gatherer.written(1);
  expect([rooms, gatherer.write(info)]).toEqual([[4], true]);
  gatherer.written(2 * info.length);
  expect(rooms).toEqual([4]);
});

test("bytes are counted, not characters", () => {
  const { gatherer } = start(1, 6, 6);
  expect([gatherer.write("äöü"), gatherer.write(info)]).toEqual([true, false]);
});

test("at most the limit plus one block is queued, and every line is written or counted", () => {
  const step = fc.oneof(
    fc.constantFrom(info, warn).map((line) => ({ line, read: 0 })),
    fc.nat(200).map((read) => ({ line: "", read })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const { gatherer, blocks, dropped } = start(50, 200, 400);
      let read = 0;
      let lines = 0;
      const waiting = (): number => blocks.join("").length - read;
      for (const { line, read: wanted } of steps) {
        if (line !== "") {
          lines += 1;
          gatherer.write(line);
        }
        const bytes = Math.min(wanted, waiting());
        read += bytes;
        gatherer.written(bytes);
        expect(waiting()).toBeLessThan(400 + 50 + info.length);
      }
      gatherer.pass();
      expect(blocks.join("").split("\n").length - 1 + dropped()).toBe(lines);
    }),
  );
});

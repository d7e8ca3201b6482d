import fc from "fast-check";
import { expect, test } from "vitest";
import { BrokenStreamError, readEvents, type StreamEvent } from "./event-stream.ts";

async function* parts(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const cut of cuts.toSorted((a, b) => a - b)) {
    const to = Math.max(from, cut % (bytes.length + 1));
    yield bytes.subarray(from, to);
    from = to;
  }
  yield bytes.subarray(from);
}

async function eventsIn(bytes: Uint8Array, cuts: readonly number[] = []): Promise<readonly StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of readEvents(parts(bytes, cuts))) events.push(event);
  return events;
}

const read = (text: string, cuts?: readonly number[]) => eventsIn(Buffer.from(text), cuts);

const line = fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/gu, " "));
const word = fc.stringMatching(/^[a-z]{1,8}$/u);

test("what is written is read, wherever the network cuts it and however lines end", async () => {
  const event = fc.record({ name: word, data: line });
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 6 }),
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.array(fc.nat(), { maxLength: 12 }),
      async (events, end, cuts) => {
        const blocks = events.map(({ name, data }) => `:${end}${end}event: ${name}${end}data: ${data}${end}${end}`);
        expect(await read(blocks.join(""), cuts)).toEqual(events);
      },
    ),
    { numRuns: 300 },
  );
});

test("any bytes are read without an error", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      await eventsIn(bytes);
    }),
    { numRuns: 300 },
  );
});

test("comments and events without data are passed over, and an event that is cut off does not count", async () => {
  expect(await read(": hello\n\nevent: end\n\nretry: 1\n\ndata: 1\ndata:2\n\ndata: 3")).toEqual([
    { name: "message", data: "1\n2" },
  ]);
});

test("an event without an end does not fill the memory", async () => {
  await expect(read(`data: ${"x".repeat(1_100_000)}`)).rejects.toThrow(BrokenStreamError);
});

import { setImmediate as nextTick } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBatcher } from "./batcher.ts";

interface Sent {
  readonly subject: string;
  readonly items: readonly { readonly body: Uint8Array }[];
}

function setUp(maxPayload = 4_000_000) {
  const sent: Sent[] = [];
  const batcher = createBatcher<{ readonly body: Uint8Array }>({
    send: (subject, items) => sent.push({ subject, items }),
    maxMessageBytes: () => maxPayload,
  });
  return { sent, batcher };
}

const item = (bytes: number): { body: Uint8Array } => ({ body: new Uint8Array(bytes) });

describe("batcher", () => {
  test("items added for a subject during one tick are sent as one message at its end", async () => {
    const { sent, batcher } = setUp();
    batcher.add("a", item(1));
    batcher.add("b", item(2));
    batcher.add("a", item(3));
    expect(sent).toHaveLength(0);
    await nextTick();
    expect(sent.map(({ subject, items }) => [subject, items.length])).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
  });

  test("32 items are sent immediately", () => {
    const { sent, batcher } = setUp();
    for (let index = 0; index < 40; index += 1) batcher.add("a", item(1));
    expect(sent.map(({ items }) => items.length)).toEqual([32]);
  });

  test("a frame above the limit is sent alone, in order", async () => {
    const { sent, batcher } = setUp();
    batcher.add("a", item(1));
    batcher.add("a", item(300 * 1024));
    batcher.add("a", item(2));
    await nextTick();
    expect(sent.map(({ items }) => items.map(({ body }) => body.length))).toEqual([[1], [300 * 1024], [2]]);
  });

  test("nothing is lost, duplicated or reordered, and only a single item makes a message above the limit", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 3000 }), { maxLength: 400 }), async (sizes) => {
        const { sent, batcher } = setUp(2000);
        for (const size of sizes) batcher.add("a", item(size));
        await nextTick();
        expect(sent.flatMap(({ items }) => items.map(({ body }) => body.length))).toEqual(sizes);
        for (const { items } of sent) {
          const bytes = items.reduce((sum, { body }) => sum + 16 + body.length, 0);
          expect(items.length === 1 || bytes <= 2000).toBe(true);
          expect(items.length).toBeLessThanOrEqual(32);
        }
      }),
      { numRuns: 30 },
    );
  });
});

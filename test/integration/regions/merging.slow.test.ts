import { expect, test } from "vitest";
import { mergeInAnyOrder } from "./merging-model.ts";

test("any order, repetition and loss of messages, with everything sent again at the end, leads to the same state, in 40 histories", async () => {
  expect(await mergeInAnyOrder(40)).toBe(40);
});

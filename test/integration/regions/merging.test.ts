import { expect, test } from "vitest";
import { mergeInAnyOrder } from "./merging-model.ts";

test("any order, repetition and loss of messages, with everything sent again at the end, leads to the same state, in 8 histories", async () => {
  expect(await mergeInAnyOrder(8)).toBe(8);
});

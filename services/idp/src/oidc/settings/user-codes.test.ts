import { expect, test } from "vitest";
import { createUserCodes } from "./user-codes.ts";

const calls = {
  name: "us-east",
  regions: ["us-east", "west"],
  elsewhere: (tag: string | undefined) => (tag === "west" ? tag : undefined),
};
const codes = createUserCodes(calls, () => 8);

test("a device shows the region before its code", () => expect(codes.shown("BCDFGHJK")).toBe("US-EAST-BCDF-GHJK"));

test.each([
  ["us-east-bcdf-ghjk", "BCDFGHJK", undefined],
  ["BCDF GHJK", "BCDFGHJK", undefined],
  ["west bcdfghjk", "BCDFGHJK", "west"],
  ["north-bcdf-ghjk", "NORTHBCDFGHJK", undefined],
  ["", "", undefined],
  ["x".repeat(65), "", undefined],
])("%s is the code %s of %s", (typed, userCode, elsewhere) => {
  expect(codes.typed(typed)).toEqual({ userCode, elsewhere });
});

test("without regions, codes are as they were", () => {
  const alone = createUserCodes(undefined, () => 8);
  expect(alone.shown("BCDFGHJK")).toBe("BCDF-GHJK");
  expect(alone.typed("bcdf-ghjk")).toEqual({ userCode: "BCDFGHJK", elsewhere: undefined });
});

import { expect, test } from "vitest";
import { AppError } from "../errors/index.ts";
import { decidedInRedis } from "./decided.ts";

const decided = decidedInRedis("flows cannot be reached");

test("a reply of Redis is passed on; a failure of Redis becomes a temporary failure with a cause", async () => {
  expect(await decided(async () => 7)).toBe(7);
  const cause = new Error("Connection is closed.");
  await expect(decided(() => Promise.reject(cause))).rejects.toMatchObject({
    code: "REDIS_UNAVAILABLE",
    message: expect.stringContaining("flows cannot be reached"),
    cause,
  });
});

test("an error that is already a temporary failure is unchanged", async () => {
  const overloaded = new AppError("OVERLOADED");
  await expect(decided(() => Promise.reject(overloaded))).rejects.toBe(overloaded);
});

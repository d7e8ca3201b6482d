import { expect, test } from "vitest";
import { AppError, logFields } from "./app-error.ts";

test("an unavailable dependency is logged without a stack, with the underlying reason", () => {
  const error = new AppError("DIRECTORY_UNAVAILABLE", { detail: "ldap://a", cause: new Error("ECONNREFUSED") });
  expect(logFields(error)).toEqual({
    code: "DIRECTORY_UNAVAILABLE",
    error: "DIRECTORY_UNAVAILABLE: ldap://a",
    cause: "ECONNREFUSED",
  });
});

test("a bug is logged with its stack and causes", () => {
  const error = new AppError("INTERNAL", { cause: new TypeError("x") });
  expect(logFields(error)).toEqual({ err: error });
});

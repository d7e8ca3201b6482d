import { expect, test } from "vitest";
import { AppError, fromUnknown } from "./app-error.ts";
import { errorCodes, isErrorCode, reservedCodes } from "./codes.ts";

test("neither detail nor cause crosses the bus", () => {
  const error = new AppError("DIRECTORY_UNAVAILABLE", {
    detail: "ldap://10.0.0.1 refused",
    cause: new Error("ECONNREFUSED"),
  });
  expect(JSON.stringify(error.toWire())).not.toMatch(/10\.0\.0\.1|ECONNREFUSED/);
  expect(AppError.fromWire(error.toWire()).code).toBe("DIRECTORY_UNAVAILABLE");
});

test("an unknown code of a newer peer is a temporary failure", () => {
  const error = AppError.fromWire({ code: "QUANTUM_FLUX", publicMessage: "later" });
  expect(error.row.kind).toBe("unavailable");
  expect(error.publicMessage).toBe("later");
});

test("an unexpected error is a bug with its cause, and its text stays internal", () => {
  const error = fromUnknown(new TypeError("x is not a function"));
  expect(error.code).toBe("INTERNAL");
  expect(error.publicMessage).not.toContain("function");
  expect(error.cause).toBeInstanceOf(TypeError);
});

test("a retired code is never used again", () => {
  for (const code of reservedCodes) expect(isErrorCode(code)).toBe(false);
  expect(isErrorCode("constructor")).toBe(false);
});

test("no temporary failure has the status of a denial", () => {
  const refusing = Object.values(errorCodes).filter(({ kind, httpStatus }) => kind !== "caller" && httpStatus < 500);
  expect(refusing).toEqual([]);
});

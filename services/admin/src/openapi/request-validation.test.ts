import { operations, validatedOperations } from "@postern/shared/contracts";
import { expect, test } from "vitest";
import { createRequestValidation } from "./request-validation.ts";

const validate = createRequestValidation(validatedOperations);
const flush = { method: "DELETE", route: "/api/v1/cache/flush", query: {} };

test("valid requests are accepted, and errors name the field", () => {
  expect(validate({ ...flush, body: { user: "alice@example.test" } })).toBeUndefined();
  expect(validate({ ...flush, body: {} })).toBe("user: is missing");
  expect(validate({ ...flush, body: undefined })).toBe("the body: must be a JSON object");
});

test("an optional body may be omitted", () => {
  const list = { method: "POST", route: "/api/v1/bruteforce/list", query: {} };
  expect(validate({ ...list, body: undefined })).toBeUndefined();
  expect(validate({ ...list, body: { accounts: 7 } })).toMatch(/^accounts: must be a list/u);
  expect(validate({ ...list, query: { limit: "many" }, body: undefined })).toMatch(/^limit: must be a whole number$/u);
});

test("an operation that is not in the allowlist, or cannot be, is not validated", () => {
  expect(createRequestValidation([])({ ...flush, body: {} })).toBeUndefined();
  const token = { method: "POST", route: "/api/v1/jwt/token", query: {}, body: {} };
  expect(createRequestValidation(["issueToken"])(token)).toBeUndefined();
});

test("every operation of the allowlist is in the document", () => {
  const known = new Set(operations.map(({ operationId }) => operationId));
  expect(validatedOperations.filter((id) => !known.has(id))).toEqual([]);
});

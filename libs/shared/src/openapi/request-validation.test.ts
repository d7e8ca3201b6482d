import { expect, test } from "vitest";
import { validatedOperations } from "../contracts/admin/validated-operations.ts";
import { operations } from "../contracts/index.ts";
import { createRequestValidation } from "./request-validation.ts";

const validate = createRequestValidation(validatedOperations);
const flush = { method: "DELETE", route: "/api/v1/cache/flush", query: {} };

test("what fits passes, what does not is named", () => {
  expect(validate({ ...flush, body: { user: "alice@example.test" } })).toBeUndefined();
  expect(validate({ ...flush, body: {} })).toMatch(/^body: .*user/u);
  expect(validate({ ...flush, body: undefined })).toMatch(/^body/u);
});

test("a body that may be left out may be left out", () => {
  const list = { method: "POST", route: "/api/v1/bruteforce/list", query: {} };
  expect(validate({ ...list, body: undefined })).toBeUndefined();
  expect(validate({ ...list, body: { accounts: 7 } })).toMatch(/^body\/accounts/u);
  expect(validate({ ...list, query: { limit: "many" }, body: undefined })).toMatch(/^query\/limit/u);
});

test("an operation that is not named, or may not be, is not compared", () => {
  expect(createRequestValidation([])({ ...flush, body: {} })).toBeUndefined();
  const token = { method: "POST", route: "/api/v1/jwt/token", query: {}, body: {} };
  expect(createRequestValidation(["issueToken"])(token)).toBeUndefined();
});

test("every operation of the allowlist is in the document", () => {
  const known = new Set(operations.map(({ operationId }) => operationId));
  expect(validatedOperations.filter((id) => !known.has(id))).toEqual([]);
});

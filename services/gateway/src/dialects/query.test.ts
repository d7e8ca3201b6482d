import fc from "fast-check";
import { expect, test } from "vitest";
import { type AuthQuery, parseAuthQuery, plainQuery, requestedOperation } from "./query.ts";

const path = "/api/v1/auth/json";

const known: readonly (readonly [query: string, meaning: Partial<AuthQuery>])[] = [
  ["", {}],
  ["?", {}],
  ["?mode=no-auth", { operation: "lookup" }],
  ["?mode=list-accounts", { operation: "list-accounts" }],
  ["?in-memory=0", { memoryCache: false }],
  ["?cache=0", { sharedCache: false }],
  ["?cache=0&mode=no-auth&unknown=1", { operation: "lookup", sharedCache: false }],
];
const invalid = ["?mode=other", "?mode=no-auth&mode=no-auth", "?cache=0&cache=1"];

test("each query has its own meaning, whatever query came before", () => {
  const queries = fc.array(fc.oneof(fc.constantFrom(...known), fc.constantFrom(...invalid)), { minLength: 1 });
  fc.assert(
    fc.property(queries, (sequence) => {
      for (const query of sequence) {
        if (typeof query === "string") expect(() => parseAuthQuery(`${path}${query}`)).toThrow("REQUEST_MALFORMED");
        else expect(parseAuthQuery(`${path}${query[0]}`)).toEqual({ ...plainQuery, ...query[1] });
      }
    }),
  );
});

test("a malformed query counts as a sign-in until it is rejected", () => {
  expect(requestedOperation(`${path}?mode=no-auth`)).toBe("lookup");
  for (const query of invalid) expect(requestedOperation(`${path}${query}`)).toBe("authenticate");
});

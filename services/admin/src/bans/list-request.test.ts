import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeCursor, readListRequest } from "./list-request.ts";

test.each([
  ["no query and no body", {}, undefined, { accounts: [], ipAddresses: [] }],
  ["one account in the query", { accounts: "a@x" }, undefined, { accounts: ["a@x"], ipAddresses: [] }],
  [
    "repeated query members",
    { ip_addresses: ["192.0.2.1", "192.0.2.0/24"] },
    null,
    { accounts: [], ipAddresses: ["192.0.2.1", "192.0.2.0/24"] },
  ],
  [
    "a body, which takes precedence over the query",
    { accounts: "a@x" },
    { accounts: ["b@x"] },
    { accounts: ["b@x"], ipAddresses: [] },
  ],
])("%s is read", (_what, query, body, filters) => {
  expect(readListRequest(query, body)).toEqual({ ...filters, page: undefined });
});

test.each([
  ["accounts that are not a list", {}, { accounts: "a@x" }],
  ["a body that is not an object", {}, []],
  ["an invalid address", { ip_addresses: "192.0.2.999" }, undefined],
  ["a network with host bits", { ip_addresses: "192.0.2.7/24" }, undefined],
  ["a limit of zero", { limit: "0" }, undefined],
  ["a limit above the maximum", { limit: "1001" }, undefined],
  ["a fractional limit", { limit: "1.5" }, undefined],
  ["a limit that is not a number", { limit: "many" }, undefined],
  ["an invalid cursor", { cursor: "!" }, undefined],
  ["a cursor with a third element", { cursor: Buffer.from('["a","b","c"]').toString("base64url") }, undefined],
  ["a cursor of numbers", { cursor: Buffer.from("[1,2]").toString("base64url") }, undefined],
])("%s is malformed", (_what, query, body) => {
  expect(() => readListRequest(query, body)).toThrow(expect.objectContaining({ code: "REQUEST_MALFORMED" }));
});

test("a page has a hundred entries unless the request sets a limit", () => {
  const cursor = encodeCursor({ bans: "b", accounts: null });
  expect(readListRequest({ cursor }, undefined).page).toEqual({ limit: 100, cursor: { bans: "b", accounts: null } });
  expect(readListRequest({ limit: "1000" }, undefined).page).toEqual({ limit: 1000, cursor: undefined });
});

test("every cursor that a page returns is accepted, and any other text is at most a malformed request", () => {
  const place = fc.option(fc.string(), { nil: null });
  fc.assert(
    fc.property(place, place, (bans, accounts) => {
      const cursor = encodeCursor({ bans, accounts });
      expect(cursor).toMatch(/^[\w-]+$/u);
      expect(readListRequest({ cursor }, undefined).page?.cursor).toEqual({ bans, accounts });
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.anything()), (cursor) => {
      fc.pre(cursor !== undefined);
      try {
        readListRequest({ cursor }, undefined);
      } catch (error) {
        expect(error).toMatchObject({ code: "REQUEST_MALFORMED" });
      }
    }),
  );
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listTypes, negotiateListType } from "./negotiate.ts";

const [cbor, json, form, text] = listTypes;

describe("content negotiation for mode=list-accounts", () => {
  test.each([
    ["missing", undefined, cbor],
    ["empty", "", cbor],
    ["a wildcard", "*/*", cbor],
    ["Java's default", "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", cbor],
    ["an incomplete wildcard, and a weight without its leading zero", "*;q=.1, application/json;q=.25", json],
    ["a wildcard of the type", "application/*", cbor],
    ["tied in quality", "application/json, application/cbor", cbor],
    [
      "tied in quality, with explicit weights",
      "text/plain;q=0.5, application/json;q=0.5, application/cbor;q=0.5",
      cbor,
    ],
    ["tied with a wildcard", "text/plain, */*", cbor],
    ["cbor", "application/cbor", cbor],
    ["json", "application/json", json],
    ["form", "application/x-www-form-urlencoded", form],
    ["text", "text/plain", text],
    ["a wildcard of text", "text/*", text],
    ["the higher quality", "application/cbor;q=0.8, text/plain;q=0.9", text],
    ["a named type over a low wildcard", "*/*;q=0.1, application/json", json],
    ["the specific range, not the wide one", "application/json;q=0.2, */*;q=0.5", cbor],
    ["the server's order if cbor is not requested", "text/plain, application/x-www-form-urlencoded", form],
    ["a type that only a wildcard permits", "application/cbor;q=0, */*", json],
    ["spaces, case and parameters", 'TEXT/Plain ; charset="utf-8,;" ; Q=1.000', text],
    ["invalid elements", ",, nonsense, text/plain;q=2, application/json;q=0.5", json],
  ])("%s", (_what, accept, expected) => {
    expect(negotiateListType(accept)).toBe(expected);
  });

  test.each([
    ["another type", "text/html"],
    ["quality 0", "application/cbor;q=0"],
    ["everything refused", "*/*;q=0"],
    ["not a media range", "nonsense"],
    ["an invalid weight", "application/json;q=high"],
    ["half a wildcard", "*/json"],
  ])("415 for %s", (_what, accept) => {
    expect(negotiateListType(accept)).toBeUndefined();
  });

  test("the chosen type is one that the header does not refuse, or none", () => {
    const range = fc.constantFrom(...listTypes, "*/*", "text/*", "application/*", "text/html", "", "x", '"');
    const weight = fc.constantFrom("", ";q=0", ";q=0.5", ";q=1", ";q=1.1", ';a="b,c";q=0.3', ";q");
    const element = fc.tuple(range, weight).map((parts) => parts.join(""));
    const field = fc.oneof(
      fc.string(),
      fc.array(element).map((elements) => elements.join(",")),
    );
    fc.assert(
      fc.property(field, (accept) => {
        const chosen = negotiateListType(accept);
        expect([...listTypes, undefined]).toContain(chosen);
        // Once the chosen type is refused explicitly, no wildcard may select it.
        if (chosen !== undefined) expect(negotiateListType(`${chosen};q=0`)).toBeUndefined();
      }),
    );
  });

  test("the type with the highest weight is chosen", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...listTypes], { minLength: 1 }), (types) => {
        const accept = types.map((type, index) => `${type};q=${1 - index / 10}`).join(", ");
        expect(negotiateListType(accept)).toBe(types[0]);
      }),
    );
  });
});

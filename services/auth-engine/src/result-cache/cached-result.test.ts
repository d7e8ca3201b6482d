import fc from "fast-check";
import { expect, test } from "vitest";
import { withAccountAttribute } from "../backends/found-account.ts";
import { decodeResult, encodeResult } from "./cached-result.ts";

test("any encoded result can be decoded", () => {
  const decision = fc.record({
    outcome: fc.constant("ok" as const),
    account: fc.string(),
    accountField: fc.string().filter((name) => name !== "__proto__"),
    totpSecretField: fc.string(),
    backend: fc.nat(8),
    // Assigning to this name sets the prototype and creates no property.
    attributes: fc.dictionary(
      fc.string().filter((name) => name !== "__proto__"),
      fc.array(fc.string()),
      { noNullPrototype: true },
    ),
    memoryCache: fc.constant("miss" as const),
  });
  const groups = fc.option(fc.array(fc.string()), { nil: undefined });
  fc.assert(
    fc.property(decision, groups, fc.string(), fc.uint8Array(), (one, names, backendName, bytes) => {
      const attributes = withAccountAttribute(one.attributes, one.accountField, one.account);
      const decided = { ...one, attributes, ...(names === undefined ? {} : { groups: names }) };
      const result = { digest: Buffer.from(bytes), decision: decided, backendName };
      expect(decodeResult(encodeResult(result))).toEqual(result);
    }),
  );
});

test("a result cached by an engine of the previous version has the attribute with the account's name as well", () => {
  const text = '["","alice","login","",8,{"mail":["a@example.test"]},"sql",null]';
  expect(decodeResult(text)?.decision.attributes).toEqual({ mail: ["a@example.test"], login: ["alice"] });
});

test.each([
  ["text that is not JSON", "x"],
  ["a value that is not a list", "{}"],
  ["a list that is too short", '["","a","b","",8]'],
  ["the result of an older engine, without the facts that policies need", '["","a","b","",8,{}]'],
  ["a string instead of a number", '["","a","b","","8",{},"sql",null]'],
  ["an attribute that is not a list", '["","a","b","",8,{"mail":"a"},"sql",null]'],
  ["an invalid backend name", '["","a","b","",8,{},null,null]'],
  ["a group that is not a string", '["","a","b","",8,{},"sql",[1]]'],
])("%s is decoded as undefined and does not throw", (_what, text) => {
  expect(decodeResult(text)).toBeUndefined();
});

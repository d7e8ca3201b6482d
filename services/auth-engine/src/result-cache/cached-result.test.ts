import fc from "fast-check";
import { expect, test } from "vitest";
import { withAccountAttribute } from "../decision/account-attribute.ts";
import { decodeResult, encodeResult } from "./cached-result.ts";

test("what is encoded is decoded, whatever it holds", () => {
  const decision = fc.record({
    outcome: fc.constant("ok" as const),
    account: fc.string(),
    accountField: fc.string().filter((name) => name !== "__proto__"),
    totpSecretField: fc.string(),
    backend: fc.nat(8),
    // A JSON object cannot hold this one name as a property of its own when it is assigned.
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

test("what an engine of the version before cached has the attribute of the account's name too", () => {
  const text = '["","alice","login","",8,{"mail":["a@example.test"]},"sql",null]';
  expect(decodeResult(text)?.decision.attributes).toEqual({ mail: ["a@example.test"], login: ["alice"] });
});

test.each([
  ["no JSON", "x"],
  ["no list", "{}"],
  ["too short", '["","a","b","",8]'],
  ["an older engine's, without what policies ask for", '["","a","b","",8,{}]'],
  ["a text for a number", '["","a","b","","8",{},"sql",null]'],
  ["attributes that are no lists", '["","a","b","",8,{"mail":"a"},"sql",null]'],
  ["an invalid backend name", '["","a","b","",8,{},null,null]'],
  ["groups that are no texts", '["","a","b","",8,{},"sql",[1]]'],
])("%s is nothing, and nothing is thrown", (_what, text) => {
  expect(decodeResult(text)).toBeUndefined();
});

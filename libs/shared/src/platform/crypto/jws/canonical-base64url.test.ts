import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isCanonicalBase64url } from "./verify-signature.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

test("base64url is canonical exactly if encoding the decoded bytes reproduces it", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from(alphabet)), maxLength: 12 }), (letters) => {
      const roundTrip = Buffer.from(letters, "base64url").toString("base64url");
      expect(isCanonicalBase64url(letters)).toBe(roundTrip === letters);
    }),
    { numRuns: 2000 },
  );
});

import { createHmac, createSecretKey } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKeyedDigest } from "./keyed-digest.ts";

function of(key: string | Uint8Array) {
  return createKeyedDigest(createSecretKey(Buffer.from(key)));
}

const hex = (text: string): string => Buffer.from(text, "binary").toString("hex");

describe("keyed digest", () => {
  test("the test vectors of RFC 4231", () => {
    expect(hex(of(Buffer.alloc(20, 0x0b))("Hi There", "binary"))).toBe(
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    );
    expect(hex(of("Jefe")("what do ya want for nothing?", "binary"))).toBe(
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
    expect(hex(of(Buffer.alloc(131, 0xaa))("Test Using Larger Than Block-Size Key - Hash Key First", "binary"))).toBe(
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    );
  });

  test("any key and text have the digest of createHmac", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.padEnd(1400, "long é")),
    );
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), fc.array(texts, { maxLength: 4 }), (key, all) => {
        const digest = of(key);
        for (const text of all) {
          for (const encoding of ["binary", "base64url"] as const) {
            expect(digest(text, encoding)).toBe(createHmac("sha256", key).update(text).digest(encoding));
          }
        }
      }),
    );
  });
});

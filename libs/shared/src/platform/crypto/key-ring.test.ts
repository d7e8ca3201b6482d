import fc from "fast-check";
import { expect, test } from "vitest";
import { createKeyRing } from "./key-ring.ts";
import { Secret } from "./secret.ts";

const oldSecret = new Secret("old-encryption-secret");
const newSecret = new Secret("new-encryption-secret");
const ring = createKeyRing([newSecret], "test");

test("an encrypted value is decrypted in the same context, byte for byte", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (plain, context) => {
      const sealed = ring.seal(plain, context);
      expect(sealed.length).toBe(plain.length + 49);
      expect(ring.open(sealed, context)).toEqual(Buffer.from(plain));
    }),
  );
});

test("a value with any changed byte is not decrypted", () => {
  const sealed = ring.seal("alice@example.test", "key");
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), (index, flip) => {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ flip;
      expect(ring.open(changed, "key")).toBeUndefined();
    }),
  );
});

test("truncated or arbitrary bytes are not decrypted, and nothing is thrown", () => {
  const sealed = ring.seal("alice@example.test", "key");
  for (let length = 0; length < sealed.length; length += 1) {
    expect(ring.open(sealed.subarray(0, length), "key")).toBeUndefined();
  }
  fc.assert(fc.property(fc.uint8Array(), (bytes) => ring.open(bytes, "key") === undefined));
});

test("a value is not decrypted in another context, nor for another purpose", () => {
  const sealed = ring.seal("x", "key of alice");
  expect(ring.open(sealed, "key of bob")).toBeUndefined();
  expect(createKeyRing([newSecret], "other").open(sealed, "key of alice")).toBeUndefined();
});

test("after a rotation old values are decrypted, and new ones encrypted with the new key", () => {
  const before = createKeyRing([oldSecret], "test");
  const during = createKeyRing([newSecret, oldSecret], "test");
  const sealedBefore = before.seal("x", "key");
  expect(during.open(sealedBefore, "key")?.toString()).toBe("x");
  const sealedDuring = during.seal("y", "key");
  expect(ring.open(sealedDuring, "key")?.toString()).toBe("y");
  expect(ring.open(sealedBefore, "key")).toBeUndefined();
});

test("the same value is never encrypted to the same bytes twice", () => {
  expect(ring.seal("x", "key").equals(ring.seal("x", "key"))).toBe(false);
});

test("a ring cannot be created without a secret, or with an empty one", () => {
  expect(() => createKeyRing([], "test")).toThrow(TypeError);
  expect(() => createKeyRing([newSecret, new Secret("")], "test")).toThrow(TypeError);
});

import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createSubjectHandles } from "./subject-handles.ts";

const keys = createKeyRing([new Secret("a secret of a test, long enough")], "console");
const at = (nowMs: number) => createSubjectHandles(keys, { now: () => nowMs });
const helen = "helen@example.test";

test("a handle leads to its subject, for its operator only, at any replica with the same secret", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 1024, unit: "binary" }), (subject) => {
      const handle = at(1000).make(helen, subject);
      expect(handle).toMatch(/^[\w-]+$/u);
      expect(at(1001).read(helen, handle)).toBe(subject.toWellFormed());
      expect(at(1001).read("hugo@example.test", handle)).toBeUndefined();
    }),
  );
});

test("a handle ends after eight hours", () => {
  const handle = at(0).make(helen, "alice@example.test");
  expect(at(8 * 3_600_000 - 1).read(helen, handle)).toBe("alice@example.test");
  expect(at(8 * 3_600_000).read(helen, handle)).toBeUndefined();
});

test("a handle shows neither the name nor its exact length", () => {
  const lengths = ["a@example.test", "alice@example.test"].map((name) => at(0).make(helen, name).length);
  expect(new Set(lengths).size).toBe(1);
  expect(Buffer.from(at(0).make(helen, "alice@example.test"), "base64url").includes("alice")).toBe(false);
});

test("no other text is a handle", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(at(0).read(helen, text)).toBeUndefined();
    }),
  );
});

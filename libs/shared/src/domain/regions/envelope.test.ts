import { expect, test } from "vitest";
import { createKeyRing } from "../../platform/crypto/key-ring.ts";
import { Secret } from "../../platform/crypto/secret.ts";
import { createRegionEnvelope, regionEnvelopePurpose } from "./envelope.ts";

const envelopeOf = (...secrets: readonly string[]) =>
  createRegionEnvelope(
    createKeyRing(
      secrets.map((text) => new Secret(text)),
      regionEnvelopePurpose,
    ),
  );
const envelope = envelopeOf("a-secret-of-all-regions");
const context = { method: "pull", to: "west", nonce: "of-this-request" };
const sealed = envelope.seal({ ban: 1 }, "east", context);

test("a message opens only where, for which and in the answer to which it was sealed", () => {
  expect(envelope.open(sealed, context)).toEqual({ from: "east", value: { ban: 1 } });
  expect(envelope.open(sealed, { ...context, to: "north" })).toBeUndefined();
  expect(envelope.open(sealed, { ...context, method: "other" })).toBeUndefined();
  expect(envelope.open(sealed, { ...context, nonce: "of-an-earlier-request" })).toBeUndefined();
});

test("neither a changed byte, another sender's name, nor another secret opens a message", () => {
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect({ at, opened: envelope.open(changed, context) }).toEqual({ at, opened: undefined });
  }
  const renamed = Buffer.concat([Buffer.from("north"), sealed.subarray("east".length)]);
  expect(envelope.open(renamed, context)).toBeUndefined();
  expect(envelopeOf("another-secret").open(sealed, context)).toBeUndefined();
  expect(envelope.open(Buffer.from("no line ends within the length of a name"), context)).toBeUndefined();
});

test("while a secret is rotated, a region that has both reads those that have one", () => {
  const old = envelopeOf("the-old-secret-of-all");
  const both = envelopeOf("the-new-secret-of-all", "the-old-secret-of-all");
  expect(both.open(old.seal(1, "east", context), context)).toEqual({ from: "east", value: 1 });
});

/** Reasons for rejecting bytes, each with a text for the caller. */
export const cborRefusals = {
  "too-large": "the body is larger than 1 MiB",
  truncated: "the body ends within an item",
  "trailing-bytes": "there are bytes after the item",
  "indefinite-length": "indefinite lengths are not allowed",
  tag: "tags are not allowed",
  "duplicate-key": "a map key occurs twice",
  "key-not-text": "a map key is not a text string",
  "too-deep": "nested more than 32 levels deep",
  "too-many-elements": "more than 4096 array elements",
  "too-many-pairs": "more than 4096 map pairs",
  "not-utf8": "a text string is not UTF-8",
  "reserved-encoding": "a reserved value of the additional information",
  "simple-value": "simple values other than false, true and null are not allowed",
  break: "unexpected break code",
  "integer-range": "an integer is outside ±(2^53-1)",
  "not-finite": "a floating-point number is not finite",
} as const;

export type CborRefusal = keyof typeof cborRefusals;

/** Thrown when the bytes are not valid CBOR or use a feature that is not accepted. */
export class CborError extends Error {
  readonly reason: CborRefusal;
  /** Byte offset at which the rejected item, length or text begins. */
  readonly offset: number;

  constructor(reason: CborRefusal, offset: number) {
    super(`${cborRefusals[reason]} (byte ${offset})`);
    this.name = "CborError";
    this.reason = reason;
    this.offset = offset;
  }
}

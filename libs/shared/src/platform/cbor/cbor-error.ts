/** Reasons for rejecting bytes, each with a text for the caller. */
export const cborRefusals = {
  "too-large": "more than 1 MiB",
  truncated: "an item is longer than the body",
  "trailing-bytes": "bytes after the item",
  "indefinite-length": "indefinite length",
  tag: "tags are not allowed",
  "duplicate-key": "a map key is given twice",
  "key-not-text": "a map key is not text",
  "too-deep": "nested more than 32 deep",
  "too-many-elements": "more than 4096 array elements",
  "too-many-pairs": "more than 4096 map pairs",
  "not-utf8": "text is not UTF-8",
  "reserved-encoding": "reserved additional information",
  "simple-value": "a simple value other than false, true and null",
  break: "a break code without a beginning",
  "integer-range": "an integer beyond 2^53-1",
  "not-finite": "a floating-point number that is not finite",
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

import { Encoder } from "cbor-x";

/** Encodes bus values as CBOR (RFC 8949): plain maps and byte strings, without cbor-x's record tags. */
export interface Codec {
  encode(value: unknown): Uint8Array;
  /** @throws Error when the bytes are not valid CBOR. */
  decode(bytes: Uint8Array): unknown;
}

export function createCodec(): Codec {
  const encoder = new Encoder({ useRecords: false, mapsAsObjects: true, tagUint8Array: false });
  return {
    encode: (value) => encoder.encode(value),
    decode: (bytes): unknown => encoder.decode(bytes),
  };
}

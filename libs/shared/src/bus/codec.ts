import { Encoder } from "cbor-x";

/** Values of the bus as CBOR (RFC 8949): plain maps and byte strings, none of cbor-x's own record tags. */
export interface Codec {
  encode(value: unknown): Uint8Array;
  /** @throws Error when the bytes are no CBOR. */
  decode(bytes: Uint8Array): unknown;
}

export function createCodec(): Codec {
  const encoder = new Encoder({ useRecords: false, mapsAsObjects: true, tagUint8Array: false });
  return {
    encode: (value) => encoder.encode(value),
    decode: (bytes): unknown => encoder.decode(bytes),
  };
}

export { CborError, type CborRefusal } from "./cbor-error.ts";
export { cborLimits, decodeCbor } from "./decode.ts";
export { encodeCbor } from "./encode.ts";
export type { CborEncodable, CborValue } from "./value.ts";

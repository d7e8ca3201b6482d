export { CborError, type CborRefusal } from "./cbor-error.ts";
export { decodeCbor } from "./decode.ts";
export { encodeCbor } from "./encode.ts";
export { cborLimits } from "./limits.ts";
export type { CborEncodable, CborValue } from "./value.ts";

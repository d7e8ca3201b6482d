/** Limits for CBOR request bodies; part of the HTTP interface. */
export const cborLimits = Object.freeze({
  /** 1 MiB. */
  maxBytes: 1_048_576,
  /** Nesting depth of arrays and maps; a single array has depth 1. */
  maxDepth: 32,
  /** Total number of array elements in one body. */
  maxArrayElements: 4096,
  /** Total number of map pairs in one body. */
  maxMapPairs: 4096,
});

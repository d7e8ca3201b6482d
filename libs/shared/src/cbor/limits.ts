/** Contract, "Limits": the rows for CBOR. */
export const cborLimits = Object.freeze({
  /** 1 MiB. */
  maxBytes: 1_048_576,
  /** Arrays and maps inside each other; a lone array has depth 1. */
  maxDepth: 32,
  /** Elements of all arrays of one body together. */
  maxArrayElements: 4096,
  /** Pairs of all maps of one body together. */
  maxMapPairs: 4096,
});

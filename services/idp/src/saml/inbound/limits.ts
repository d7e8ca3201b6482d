/** What a message may measure (reliability §1, rule 1). */
export const messageLimits = Object.freeze({
  documentBytes: 262_144,
  /** Of its Base64. */
  encodedLength: 524_288,
  depth: 64,
  nodes: 10_000,
  attributesOfElement: 64,
  /** The binding says 80 bytes; real service providers send more. */
  relayStateBytes: 4096,
});

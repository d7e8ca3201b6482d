/** Size limits of a message (ADR 0080). */
export const messageLimits = Object.freeze({
  documentBytes: 262_144,
  /** Length of its Base64. */
  encodedLength: 524_288,
  depth: 64,
  nodes: 10_000,
  attributesOfElement: 64,
  /** The binding allows 80 bytes, but service providers send more. */
  relayStateBytes: 4096,
});

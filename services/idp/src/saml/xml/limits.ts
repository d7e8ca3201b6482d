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

/** Reads a body as long as it is within the limit. The caller refuses what is longer: the rest is not read. */
export async function bytesWithin(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(chunks);
}

import type { KeyRing } from "../../platform/crypto/key-ring.ts";

/** The key ring that encrypts and authenticates what crosses between regions. */
export const regionEnvelopePurpose = "region-envelope";

const version = "1";
/** The sender stands before the sealed part, which contains its name as well. */
const separator = 0x0a;
const maxNameBytes = 20;

/** What a message is bound to beside its sender: it opens nowhere else. */
export interface EnvelopeContext {
  readonly method: string;
  readonly to: string;
  /** Of a reply: what the request contains only once, so that an old reply does not pass for a new one. */
  readonly nonce?: string | undefined;
}

const contextOf = (from: string, { method, to, nonce = "" }: EnvelopeContext): string =>
  [version, method, from, to, nonce].join("\n");

/** Seals what this region sends to another one, and opens what others send. All regions derive the key from the same secret. */
export function createRegionEnvelope(keys: KeyRing) {
  return {
    seal: (value: unknown, from: string, context: EnvelopeContext): Buffer =>
      Buffer.concat([Buffer.from(`${from}\n`), keys.seal(JSON.stringify(value), contextOf(from, context))]),
    /** Undefined if no region with the same secret sent this to this region for this purpose. */
    open: (bytes: Buffer, context: EnvelopeContext): { from: string; value: unknown } | undefined => {
      const end = bytes.subarray(0, maxNameBytes + 1).indexOf(separator);
      if (end < 0) return undefined;
      const from = bytes.toString("latin1", 0, end);
      const plain = keys.open(bytes.subarray(end + 1), contextOf(from, context));
      return plain === undefined ? undefined : { from, value: JSON.parse(plain.toString()) };
    },
  };
}

export type RegionEnvelope = ReturnType<typeof createRegionEnvelope>;

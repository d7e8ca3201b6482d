import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { samlMetadataKey } from "@postern/shared/platform/redis";
import { decided, digest, type SamlRedisDeps } from "../state/saml-redis.ts";

/** The last accepted version of a document. */
export interface MetadataDocument {
  readonly xml: string;
  /** Milliseconds since the epoch. */
  readonly takenAtMs: number;
}

const pack = promisify(gzip);
const unpack = promisify(gunzip);
const timeBytes = 8;

/**
 * The last valid documents, for a replica that starts while their source is unavailable. Encrypted, so that write access to
 * Redis does not allow adding service providers; compressed, because metadata is long. Rejects if Redis does not answer.
 */
export function createMetadataCopies({ redis, keyPrefix, keys }: SamlRedisDeps, maxBytes: () => number) {
  const keyOf = (url: string): string => samlMetadataKey.build(keyPrefix, digest(url));
  return {
    save: (url: string, { xml, takenAtMs }: MetadataDocument): Promise<void> =>
      decided(async () => {
        const time = Buffer.alloc(timeBytes);
        time.writeBigUInt64BE(BigInt(takenAtMs));
        const key = keyOf(url);
        const sealed = keys.seal(Buffer.concat([time, await pack(xml)]), key);
        await redis.set(key, sealed, "EX", samlMetadataKey.ttlSeconds);
      }),
    find: (url: string): Promise<MetadataDocument | undefined> =>
      decided(async () => {
        const key = keyOf(url);
        const stored = await redis.getBuffer(key);
        const plain = stored === null ? undefined : keys.open(stored, key);
        if (plain === undefined) return undefined;
        const xml = await unpack(plain.subarray(timeBytes), { maxOutputLength: maxBytes() });
        return { xml: xml.toString("utf8"), takenAtMs: Number(plain.readBigUInt64BE()) };
      }),
  };
}

export type MetadataCopies = ReturnType<typeof createMetadataCopies>;

import { createSecretKey, randomBytes } from "node:crypto";
import { createDecoys, type DecoySample, type Decoys } from "@postern/shared/domain/passwords";
import type { Config } from "@postern/shared/platform/config";
import { createKeyedDigest, type KeyedDigest } from "@postern/shared/platform/crypto";

/** The decoys of a backend. What was learned about one survives a reload. */
export interface DecoysOf {
  readonly of: (backend: string, samples: readonly DecoySample[]) => Decoys;
  readonly digest: KeyedDigest;
}

/**
 * Keyed by the nonce of password digests, which all engines share, so that a name costs the same at every engine.
 * Without a nonce, each process has its own key.
 */
export function decoysMaker({ storage }: Config): DecoysOf {
  const { password_nonce: nonce } = storage.redis;
  const key = nonce === "" ? randomBytes(32) : Buffer.from(`decoys\0${nonce}`);
  const digest = createKeyedDigest(createSecretKey(key));
  const learned = new Map<string, Decoys>();
  return {
    digest,
    of: (backend, samples) => {
      if (samples.length > 0) return createDecoys(digest, samples);
      const decoys = learned.get(backend) ?? createDecoys(digest, samples);
      learned.set(backend, decoys);
      return decoys;
    },
  };
}

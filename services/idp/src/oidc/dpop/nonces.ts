import { hkdfSync } from "node:crypto";
import type { Clock } from "@postern/shared/platform/time";

const stepMs = 60_000;
/** Steps before and after the current one whose nonces are accepted. */
const tolerated = [-2, -1, 0, 1, 2] as const;

/** @param secret 32 bytes */
export function createDpopNonces(secret: Buffer, clock: Pick<Clock, "now">) {
  let known: { readonly step: number; readonly nonces: readonly string[] } | undefined;
  const nonceOf = (step: number): string => {
    const salt = Buffer.alloc(8);
    salt.writeBigInt64BE(BigInt(step));
    return Buffer.from(hkdfSync("sha256", secret, salt, "DPoP", 32)).toString("base64url");
  };
  const current = (): readonly string[] => {
    const step = Math.floor(clock.now() / stepMs);
    if (known?.step !== step) known = { step, nonces: tolerated.map((offset) => nonceOf(step + offset)) };
    return known.nonces;
  };
  return {
    /** The nonce to use next. */
    next: (): string => current()[3] ?? "",
    // A nonce is public once it was sent, so comparing it need not take constant time.
    accepts: (nonce: string): boolean => current().includes(nonce),
  };
}

/**
 * Nonces for DPoP proofs (RFC 9449 §8). All replicas derive the same ones from a common secret, so none is stored. They are
 * derived like those of the protocol core, so that a nonce of the token endpoint is also accepted at userinfo.
 */
export type DpopNonces = ReturnType<typeof createDpopNonces>;

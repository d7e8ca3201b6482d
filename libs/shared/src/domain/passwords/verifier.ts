import { availableParallelism } from "node:os";
import type { Secret } from "../../platform/crypto/secret.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { hashArgon2, isCurrentArgon2 } from "./argon2.ts";
import { verifyDigest } from "./digest.ts";
import { readStoredPassword, usualPassword } from "./parse-stored-password.ts";
import { createCryptThreads, type StoredPassword, verifyStored } from "./schemes.ts";
import type { UnverifiableReason } from "./unverifiable.ts";
import { createWorkGate, type WorkContext, type WorkGateLoad } from "./work-gate.ts";

interface PasswordVerifierOptions {
  /** Maximum number of concurrent costly verifications; default: the number of cores. */
  readonly concurrency?: number | undefined;
  /** Maximum number of verifications that wait. */
  readonly maxQueued: number;
  readonly clock?: Clock | undefined;
  /** Called when `verify` receives a stored text that can never be verified. */
  readonly onUnverifiable?: ((reason: UnverifiableReason) => void) | undefined;
}

/** No supported scheme is used with longer ones, and SHA-crypt's cost grows with the length. */
const maxPasswordBytes = 4096;

/** Verifies passwords against a backend's stored ones, off the event loop and with limited concurrency. */
export function createPasswordVerifier(options: PasswordVerifierOptions) {
  const { concurrency = availableParallelism(), maxQueued, clock, onUnverifiable } = options;
  const gate = createWorkGate(concurrency, maxQueued, clock);
  const threads = createCryptThreads(concurrency);

  const compareText = async (stored: StoredPassword, text: string, context: WorkContext): Promise<boolean> => {
    if (Buffer.byteLength(text) > maxPasswordBytes) return false;
    if (stored.scheme === "digest") return verifyDigest(stored, text);
    try {
      return await gate.run(() => verifyStored(stored, text, threads), context);
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "password verification failed to run", cause });
    }
  };

  /**
   * Tries the password as it was sent, then in composed form, because macOS sends decomposed letters where a hash is of the composed ones (RFC
   * 8265 section 4.2). Decoys take the same way, so that unknown names cost as much.
   */
  const compare = async (stored: StoredPassword, password: Secret, context: WorkContext): Promise<boolean> => {
    const text = password.reveal();
    if (await compareText(stored, text, context)) return true;
    const composed = text.normalize("NFC");
    return composed !== text && (await compareText(stored, composed, context));
  };

  return {
    /**
     * True if the password matches. False, at the cost of an ordinary verification, for a stored text that can never be verified: that is
     * permanent, so a temporary failure would be wrong. Throws `DIRECTORY_UNAVAILABLE` (no memory, no thread), `DIRECTORY_OVERLOADED`,
     * `DEADLINE_EXCEEDED`, `REQUEST_ABORTED`, `SHUTTING_DOWN`: all of them temporary failures.
     */
    verify: async (stored: string | StoredPassword, password: Secret, context: WorkContext): Promise<boolean> => {
      const read = typeof stored === "string" ? readStoredPassword(stored) : stored;
      if (typeof read !== "string") return compare(read, password, context);
      onUnverifiable?.(read);
      await compare(usualPassword, password, context);
      return false;
    },
    /** Costs as much as `verify` against `decoy`, and throws the same errors. */
    spend: async (decoy: StoredPassword, password: Secret, context: WorkContext): Promise<void> =>
      void (await compare(decoy, password, context)),
    /**
     * An Argon2id hash of the current cost, of the composed form (NFC, NIST SP 800-63B), for a password that matched `stored`; undefined if `stored` is current already. Throws the same
     * errors as `verify`.
     */
    async upgrade(stored: StoredPassword, password: Secret, context: WorkContext): Promise<string | undefined> {
      if (stored.scheme === "argon2" && isCurrentArgon2(stored)) return undefined;
      return gate.run(async () => `{ARGON2ID}${await hashArgon2(password.reveal().normalize("NFC"))}`, context);
    },
    /** Counts only the costly schemes; digests of one round are not limited. */
    load: (): WorkGateLoad => gate.load(),
    async close(): Promise<void> {
      await gate.close();
      await threads.close();
    },
  };
}

export type PasswordVerifier = ReturnType<typeof createPasswordVerifier>;

import { availableParallelism } from "node:os";
import { type Awaitable, after } from "../async/awaitable.ts";
import type { Secret } from "../crypto/secret.ts";
import { AppError } from "../errors/app-error.ts";
import type { Clock } from "../time/clock.ts";
import { hashArgon2, isCurrentArgon2, verifyArgon2 } from "./argon2.ts";
import { verifyBcrypt } from "./bcrypt.ts";
import { verifyMd5Crypt } from "./md5-crypt.ts";
import { parseStoredPassword } from "./parse-stored-password.ts";
import { verifyPbkdf2 } from "./pbkdf2.ts";
import { verifySaltedSha } from "./salted-sha.ts";
import { verifyShaCrypt } from "./sha-crypt.ts";
import { createShaCryptPool, type ShaCryptPool } from "./sha-crypt-pool.ts";
import type { StoredPassword } from "./stored-password.ts";
import { createWorkGate, type WorkContext, type WorkGateLoad } from "./work-gate.ts";

export interface PasswordVerifierOptions {
  /** How many costly verifications run at once; default: the number of cores. */
  readonly concurrency?: number | undefined;
  /** How many more may wait. */
  readonly maxQueued: number;
  readonly clock?: Clock | undefined;
}

/** Verifies passwords against what a directory stores, off the event loop and bounded (design §5 rule 6). */
export interface PasswordVerifier {
  /**
   * True when the password is the stored one. Throws `DIRECTORY_DATA` (the stored text cannot be read or would cost
   * too much), `DIRECTORY_UNAVAILABLE` (no memory, no thread), `DIRECTORY_OVERLOADED`, `DEADLINE_EXCEEDED`, `REQUEST_ABORTED`, `SHUTTING_DOWN`: undecided, all of them.
   */
  verify(stored: string, password: Secret, context: WorkContext): Awaitable<boolean>;
  /**
   * Costs what `verify` against `likeStored` costs, and throws what it throws, but never `DIRECTORY_DATA`: without a
   * readable example it costs Argon2id with 19 MiB and two passes.
   */
  spend(likeStored: string | undefined, password: Secret, context: WorkContext): Awaitable<void>;
  /**
   * An Argon2id hash of today's cost for a password that was found to fit `stored`; undefined when that is one already.
   * Throws what `verify` throws.
   */
  upgrade(stored: string, password: Secret, context: WorkContext): Promise<string | undefined>;
  /** Counts the costly schemes only; salted SHA needs no place. */
  load(): WorkGateLoad;
  close(): Promise<void>;
}

/** No scheme here was ever given a longer one, and SHA-crypt's cost grows with it. */
const maxPasswordBytes = 4096;

/** What today's tools write by default: the cost of a name before any example was seen. No password matches it. */
const usualStored = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

export function createPasswordVerifier(options: PasswordVerifierOptions): PasswordVerifier {
  const { concurrency = availableParallelism(), maxQueued, clock } = options;
  const gate = createWorkGate({ concurrency, maxQueued, clock });
  const pool = createShaCryptPool({ maxThreads: concurrency });

  const compare = (stored: StoredPassword, password: Secret, context: WorkContext): Awaitable<boolean> => {
    const text = password.reveal();
    if (Buffer.byteLength(text) > maxPasswordBytes) return false;
    if (stored.scheme === "salted-sha") return verifySaltedSha(stored, text);
    return gate
      .run(() => compareCostly(stored, text, pool), context)
      .catch((thrown: unknown) => {
        if (thrown instanceof AppError) throw thrown;
        throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "no password could be verified", cause: thrown });
      });
  };

  return {
    verify: (stored, password, context) => compare(read(stored), password, context),
    spend: (likeStored, password, context) => {
      const example = parseStoredPassword(likeStored ?? usualStored) ?? read(usualStored);
      return after(compare(example, password, context), () => undefined);
    },
    async upgrade(stored, password, context) {
      const parsed = read(stored);
      if (parsed.scheme === "argon2" && isCurrentArgon2(parsed)) return undefined;
      return gate.run(async () => `{ARGON2ID}${await hashArgon2(password.reveal())}`, context);
    },
    load: () => gate.load(),
    async close() {
      await gate.close();
      await pool.close();
    },
  };
}

function read(stored: string): StoredPassword {
  const parsed = parseStoredPassword(stored);
  if (parsed !== undefined) return parsed;
  throw new AppError("DIRECTORY_DATA", { detail: "stored password of unknown scheme, damaged, or too costly" });
}

type CostlyPassword = Exclude<StoredPassword, { scheme: "salted-sha" }>;

function compareCostly(stored: CostlyPassword, password: string, pool: ShaCryptPool): Promise<boolean> {
  if (stored.scheme === "argon2") return verifyArgon2(stored, password);
  if (stored.scheme === "bcrypt") return verifyBcrypt(stored, password);
  if (stored.scheme === "pbkdf2") return verifyPbkdf2(stored, password);
  if (stored.scheme === "md5-crypt") return Promise.resolve(verifyMd5Crypt(stored, password));
  return verifyShaCrypt(stored, password, (task) => pool.computeDigest(task));
}

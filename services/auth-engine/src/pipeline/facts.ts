import type { BruteForceFacts } from "../brute-force/brute-force.ts";
import type { ControlFacts } from "../controls/control-facts.ts";

import type { CacheFacts } from "../result-cache/result-caches.ts";

/** What the steps of one decision tell those after them. Each field belongs to the step that its comment names. */
export interface Facts {
  /** Whether a directory knows the account (verify-in-directories, note-account). Absent while none was asked. */
  accountKnown?: boolean;
  /** What the directory calls an account whose password was wrong (verify-in-directories), where it said so. */
  guessedAccount?: string | undefined;
  /** Name of the directory that decided, now or when the answer was cached (note-account). */
  directory?: string;
  /** Names of the account's groups (note-account). Absent where none are looked for. */
  groups?: readonly string[] | undefined;
  /** What the protection against guessing found (check-brute-force, count-failure). Absent where nothing is counted. */
  bruteForce?: BruteForceFacts;
  /** What the controls found out (run-controls). Absent while none is in use. */
  controls?: ControlFacts;
  /** Place of this decision in the result caches (read-memory-cache). Absent where nothing is cached. */
  cache?: CacheFacts;
  /** What was presented: verify-token, verify-app-password or, where it was a password, who decided. */
  credential?: "password" | "app_password" | "token";
  /**
   * Whether the account has a second factor (note-account, once a directory or a cache let it in). Asks the directory
   * at the first call; throws when that cannot answer.
   */
  accountHasSecondFactor?: () => Promise<boolean>;
  /** A rule asked whether there is a second factor before anybody had looked (apply-policies). */
  isSecondFactorWanted?: boolean;
  /** What the look came to (apply-policies). */
  hasSecondFactor?: boolean;
}

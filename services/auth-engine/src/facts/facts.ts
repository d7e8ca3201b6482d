import type { BruteForceFacts } from "../brute-force/brute-force.ts";
import type { ControlFacts } from "../controls/controls.ts";
import type { CacheState } from "../result-cache/result-caches.ts";
import type { RiskFacts } from "./risk.ts";

/** What the steps of one decision found out, for later steps and policies. Comments state which step sets a field. */
export interface Facts {
  /** Whether a backend knows the account (verify-in-backends, note-account). Absent if no backend was queried. */
  accountKnown?: boolean;
  /**
   * The backend's name for an account whose password was wrong, if the backend returned it (verify-in-backends,
   * verify-app-password).
   */
  guessedAccount?: string | undefined;
  /** Name of the backend that decided, now or when the answer was cached (note-account). */
  backendName?: string;
  /** Names of the account's groups (note-account). Absent if no group search is configured. */
  groups?: readonly string[] | undefined;
  /** State of brute-force protection (check-brute-force, count-failure). Absent if nothing is counted. */
  bruteForce?: BruteForceFacts;
  /** The score of a sign-in with a correct password (assess-risk). */
  risk?: RiskFacts;
  /** Findings of the controls (run-controls). Absent if no control is enabled. */
  controls?: ControlFacts;
  /** State of this decision in the result caches (read-memory-cache). Absent if nothing is cached. */
  cache?: CacheState;
  /** Kind of credential (verify-token, verify-app-password; for a password, the step that decided). */
  credential?: "password" | "app_password" | "token";
  /**
   * Since when the credential exists, in seconds since the epoch: an app password's creation (verify-app-password), or the sign-in from
   * which a token descends (verify-token). Absent for passwords, and if it is unknown.
   */
  credentialSince?: number | undefined;
  /**
   * Whether the account has a second factor (note-account, after a success). The first call queries the backend; it
   * throws if the backend cannot answer.
   */
  accountHasSecondFactor?: () => Promise<boolean>;
  /** A policy needs to know about the second factor, which is not known yet (apply-policies). */
  isSecondFactorWanted?: boolean;
  /** Whether the account has a second factor, once known (apply-policies). */
  hasSecondFactor?: boolean;
}

import type { SignIn } from "./note.ts";

/** A sign-in with everything that a score may depend on. */
export interface AssessedSignIn extends SignIn {
  /** Tokens have no score; a hold may refuse them. */
  readonly credential: "password" | "app_password" | "token";
  /** Whether the password is in the list of leaked ones. Absent if it was not compared. */
  readonly isLeaked?: boolean | undefined;
  /** Absent if the backend was not asked. */
  readonly hasSecondFactor?: boolean | undefined;
  /** Weight of the network in the operator's lists. Absent if it is in none. */
  readonly listedWeight?: number | undefined;
  /** On the sign-in pages. */
  readonly isOnPages?: boolean | undefined;
  /** A second factor follows, which confirms or ends the sign-in: nothing else refuses it. */
  readonly isFactorNext?: boolean | undefined;
}

/** What the steps of one decision tell those after them. Each field belongs to the step that its comment names. */
export interface Facts {
  /** Whether a directory knows the account (verify-in-directories). Absent while none was asked. */
  accountKnown?: boolean;
  /** Name of the directory that decided (verify-in-directories). */
  directory?: string;
  /** What was presented: verify-token and verify-app-password say so first; without either it is a password. */
  credential?: "password" | "app_password" | "token";
  /**
   * Whether the account has a second factor (verify-in-directories, once the password was right). Asks the directory
   * at the first call; throws when that cannot answer.
   */
  accountHasSecondFactor?: () => Promise<boolean>;
}

import type { BruteForceFacts } from "../brute-force/brute-force.ts";
import type { ControlFacts } from "../controls/control-facts.ts";

/** What the steps of one decision tell those after them. Each field belongs to the step that its comment names. */
export interface Facts {
  /** Whether a directory knows the account (verify-in-directories). Absent while none was asked. */
  accountKnown?: boolean;
  /** Name of the directory that decided (verify-in-directories). */
  directory?: string;
  /** What the protection against guessing found (check-brute-force, count-failure). Absent where nothing is counted. */
  bruteForce?: BruteForceFacts;
  /** What the controls found out (run-controls). Absent while none is in use. */
  controls?: ControlFacts;
}

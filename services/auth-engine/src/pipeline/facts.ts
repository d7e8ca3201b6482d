import type { CacheFacts } from "../result-cache/result-caches.ts";

/** What the steps of one decision tell those after them. Each field belongs to the step that its comment names. */
export interface Facts {
  /** Whether a directory knows the account (verify-in-directories). Absent while none was asked. */
  accountKnown?: boolean;
  /** Name of the directory that decided (verify-in-directories). */
  directory?: string;
  /** Place of this decision in the result caches (read-memory-cache). Absent where nothing is cached. */
  cache?: CacheFacts;
}

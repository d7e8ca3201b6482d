import type { ServiceReport } from "../../contracts/index.ts";

/** What a process said last. */
export interface HeardReport extends ServiceReport {
  readonly heardMs: number;
  /** Whether it answered the latest request for reports. */
  readonly isCurrent: boolean;
}

/** Asks every process of the site for its report. */
export interface ServiceReports {
  /** Resolves once everything that was heard of has answered, or after the wait for it. Processes that are gone are listed for ten minutes. */
  ask(): Promise<readonly HeardReport[]>;
  close(): void;
}

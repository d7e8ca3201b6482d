import type { FlowRecord } from "./flow-record.ts";

export type NewFlow = Omit<FlowRecord, "version">;

/** Flow records. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer. */
export interface FlowStore {
  /** @returns false if a flow with this id exists */
  begin(flow: NewFlow): Promise<boolean>;
  find(id: string): Promise<FlowRecord | undefined>;
  /**
   * Writes `next` if the stored version is still `next.version`, and raises the version. @returns undefined if it is
   * not
   */
  replace(next: FlowRecord): Promise<FlowRecord | undefined>;
  /** The id of the flow that this browser started last. */
  latestOf(browser: string): Promise<string | undefined>;
}

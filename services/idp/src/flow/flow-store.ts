import type { FlowRecord } from "./flow-record.ts";

export type NewFlow = Omit<FlowRecord, "version">;

/** Flow records. Everything throws AppError `REDIS_UNAVAILABLE` when nobody could decide. */
export interface FlowStore {
  /** @returns false when a flow of this id exists */
  begin(flow: NewFlow): Promise<boolean>;
  find(id: string): Promise<FlowRecord | undefined>;
  /** Writes `next` if the record is still of `next.version`; the version rises. @returns undefined when it is not */
  replace(next: FlowRecord): Promise<FlowRecord | undefined>;
  /** The id of the flow that this browser began last. */
  latestOf(browser: string): Promise<string | undefined>;
}

import type { Memory } from "../measure/memory.ts";
import type { Row, RowId } from "../measure/row.ts";
import type { Times } from "../measure/times.ts";
import type { Endurance } from "../scenarios/endurance.ts";
import type { Start } from "../scenarios/starts.ts";

/** All results of a run. */
export interface Results {
  readonly machine: { readonly cores: number; readonly model: string; readonly node: string };
  readonly rows: readonly Row[];
  readonly starts: readonly Start[];
  readonly memories: readonly Memory[];
  /** Only in a long run. */
  readonly endurance: readonly Endurance[];
  /** With a million bans; only in a long run. */
  readonly management: readonly Times[];
}

export function rowOf({ rows }: Results, id: RowId): Row | undefined {
  return rows.find((row) => row.id === id);
}

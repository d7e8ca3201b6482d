import type { Figure } from "../measure/added.ts";
import type { Memory } from "../measure/memory.ts";
import type { CommandCounts } from "../measure/redis-commands.ts";
import type { Row, RowId } from "../measure/row.ts";
import type { Times } from "../measure/times.ts";
import type { PageCost } from "../scenarios/console.ts";
import type { Endurance } from "../scenarios/endurance.ts";
import type { FeatureCost } from "../scenarios/features.ts";
import type { FirstDecision } from "../scenarios/first-decision.ts";
import type { Start } from "../scenarios/starts.ts";

/** All results of a run. */
export interface Results {
  readonly machine: { readonly cores: number; readonly model: string; readonly node: string };
  readonly rows: readonly Row[];
  readonly starts: readonly Start[];
  readonly firstDecision?: FirstDecision | undefined;
  /** The same of one process. */
  readonly firstOfOne?: FirstDecision | undefined;
  /** Redis commands of a wrong password against LDAP, by command. */
  readonly redisCommands?: CommandCounts | undefined;
  /** The sum of each window. */
  readonly commandsOfWindows?: Figure | undefined;
  readonly features?: readonly FeatureCost[] | undefined;
  /** GB of Redis for the facts about a million accounts; only in a long run. */
  readonly factsGb?: number | undefined;
  readonly memories: readonly Memory[];
  /** Installed size of the container image. */
  readonly imageMb?: number | undefined;
  /** Rows of other products that did the same work. Only a long run fills this and the next three. */
  readonly beside: readonly Row[];
  /** Results under load for half an hour. */
  readonly endurance: readonly Endurance[];
  /** Requests of the management API with a million bans. */
  readonly management: readonly Times[];
  /** Pages of the console with a million bans, and a hundred thousand accounts with a history. */
  readonly consolePages: readonly PageCost[];
}

export function rowOf({ rows }: Results, id: RowId): Row | undefined {
  return rows.find((row) => row.id === id);
}

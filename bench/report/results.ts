import type { Figure } from "../measure/added.ts";
import type { Memory } from "../measure/memory.ts";
import type { CommandCounts } from "../measure/redis-commands.ts";
import type { Row, RowId } from "../measure/row.ts";
import type { Times } from "../measure/times.ts";
import type { PageCost } from "../scenarios/console.ts";
import type { Endurance } from "../scenarios/endurance.ts";
import type { FirstDecision } from "../scenarios/first-decision.ts";
import type { Start } from "../scenarios/starts.ts";

/** All results of a run. */
export interface Results {
  readonly machine: { readonly cores: number; readonly model: string; readonly node: string };
  readonly rows: readonly Row[];
  readonly starts: readonly Start[];
  readonly firstDecision?: FirstDecision | undefined;
  /** Redis commands of a wrong password against LDAP, by command. */
  readonly redisCommands?: CommandCounts | undefined;
  /** The sum of each window. */
  readonly commandsOfWindows?: Figure | undefined;
  /** Redis commands that the score adds to a sign-in. */
  readonly commandsOfScoring?: Figure | undefined;
  /** GB of Redis for the facts about a million accounts; only in a long run. */
  readonly factsGb?: number | undefined;
  readonly memories: readonly Memory[];
  /** Installed size of the container image. */
  readonly imageMb?: number | undefined;
  /** The same work by other products; only in a long run. */
  readonly beside: readonly Row[];
  /** Only in a long run. */
  readonly endurance: readonly Endurance[];
  /** With a million bans; only in a long run. */
  readonly management: readonly Times[];
  /** With a million bans, and a hundred thousand accounts with a history; only in a long run. */
  readonly consolePages: readonly PageCost[];
}

export function rowOf({ rows }: Results, id: RowId): Row | undefined {
  return rows.find((row) => row.id === id);
}

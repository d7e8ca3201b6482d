import { setTimeout as rest } from "node:timers/promises";
import type { RehearsalReport } from "@postern/shared/contracts";
import type { DecisionHistory } from "@postern/shared/domain/history";
import { type Config, formatProblem, loadConfig, withUnreadSecrets } from "@postern/shared/platform/config";
import { steadyClock } from "@postern/shared/platform/time";
import { addRecord, writtenRecord } from "./history-records.ts";
import { NumberSet, numberOf } from "./number-set.ts";
import { fromHistory } from "./record-source.ts";
import { Rehearsal } from "./rehearsal.ts";

/** More histories are read, but those that are read twice, because of changes in the meantime, are then counted twice. */
const mostHistories = 1_000_000;
/** Of one group; the console shows no more, and the result is kept in Redis. */
const mostNames = 25;
const mostExamples = 3;
const mostProblems = 100;
/** Of a text that a configuration contains parts of, such as the names of many rules. */
const longestText = 500;

const short = (text: string): string => text.slice(0, longestText);

/** How far a rehearsal is. */
export interface RehearsalProgress {
  /** Share of the history that has been read. */
  readonly done: number;
  readonly signIns: number;
}

/** `refused`: the configuration has problems. */
export type RehearsalResult =
  | { readonly state: "done"; readonly report: RehearsalReport }
  | { readonly state: "refused" | "failed"; readonly problems: readonly string[] };

export interface RehearsalTask {
  /** In effect. */
  readonly config: Config;
  /** The changed configuration. */
  readonly text: string;
  readonly sinceMs: number;
}

interface Rehearsing extends RehearsalTask {
  readonly page: DecisionHistory["page"];
  readonly onProgress: (progress: RehearsalProgress) => void;
  readonly isStopped: () => boolean;
}

function readFile(): never {
  throw new Error("no file is read");
}

/** Operators of the console have no access to this host: none of its files and variables becomes part of what they see. */
const loadText = (text: string) => loadConfig({ text, env: {}, readFile, skipSecretFiles: true });

function shortened(report: RehearsalReport): RehearsalReport {
  const groups = report.groups.map((group) => ({
    ...group,
    account_names: group.account_names.slice(0, mostNames),
    examples: group.examples.slice(0, mostExamples),
  }));
  const notJudged = report.not_judged.map(({ reason, count }) => ({ reason: short(reason), count }));
  return { ...report, groups, not_judged: notJudged };
}

const refused = (problems: readonly string[]): RehearsalResult => ({
  state: "refused",
  problems: problems.slice(0, mostProblems).map(short),
});

/**
 * Decides the sign-ins of the history again. After each page it rests for as long as the page took, so that it takes at most half of a
 * processor, and of Redis, from those who decide.
 */
async function readAll(rehearsal: Rehearsal, { sinceMs, page, onProgress, isStopped }: Rehearsing): Promise<boolean> {
  const seen = new NumberSet(mostHistories);
  let cursor: string | undefined;
  do {
    const startedMs = steadyClock.now();
    // oxlint-disable-next-line no-await-in-loop -- each page has the cursor of the next one
    const { histories, done, next } = await page(cursor, sinceMs);
    for (const { id, records } of histories) {
      if (!seen.add(numberOf(id)) && !seen.isFull) continue;
      // oxlint-disable-next-line no-await-in-loop -- one after the other, as they happened
      for (const record of records) await addRecord(rehearsal, writtenRecord(record), sinceMs);
    }
    onProgress({ done, signIns: rehearsal.comparison.signIns });
    cursor = next;
    // oxlint-disable-next-line no-await-in-loop
    await rest(steadyClock.now() - startedMs);
  } while (cursor !== undefined && !isStopped());
  return cursor === undefined;
}

/** Rejects when the history cannot be read. */
export async function rehearseHistory(rehearsing: Rehearsing): Promise<RehearsalResult> {
  const loaded = loadText(rehearsing.text);
  if (!loaded.ok) return refused(loaded.problems.map(formatProblem));
  const [before, after] = [rehearsing.config, loaded.config].map(withUnreadSecrets);
  if (before === undefined || after === undefined) throw new TypeError("there are two configurations");
  let rehearsal: Rehearsal;
  try {
    rehearsal = new Rehearsal(before, after, fromHistory);
  } catch (error) {
    // Conditions of policies are compiled only here.
    return refused([error instanceof Error ? error.message : String(error)]);
  }
  const isComplete = await readAll(rehearsal, rehearsing);
  return { state: "done", report: shortened(rehearsal.report(isComplete)) };
}

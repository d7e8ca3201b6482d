import { DecisionExportPage } from "@postern/shared/contracts";
import { compileCheck } from "@postern/shared/platform/http";
import { addRecord } from "../../../services/auth-engine/src/rehearsal/history-records.ts";
import { NumberSet, numberOf } from "../../../services/auth-engine/src/rehearsal/number-set.ts";
import type { Rehearsal } from "../../../services/auth-engine/src/rehearsal/rehearsal.ts";
import type { Surroundings } from "../command.ts";
import { type Api, ApiError } from "../operator/api.ts";
import { createProgress } from "../progress.ts";

/** More than any site records. */
const mostHistories = 5_000_000;
interface Reading {
  readonly api: Pick<Api, "ask">;
  readonly sinceMs: number;
  readonly terminal: Pick<Surroundings["terminal"], "output">;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

const page = compileCheck(DecisionExportPage);

function pageIn(answer: unknown): DecisionExportPage {
  if (page.accepts(answer)) return answer;
  throw new ApiError(0, "this version does not understand the history; use the postern command of the same version");
}

async function readPages(rehearsal: Rehearsal, { api, sinceMs, signal }: Reading, onPage: (done: number) => void) {
  const seen = new NumberSet(mostHistories);
  let cursor: string | undefined;
  do {
    const query = {
      ...(sinceMs > 0 && { since: new Date(sinceMs).toISOString() }),
      ...(cursor !== undefined && { cursor }),
    };
    // oxlint-disable-next-line no-await-in-loop -- each page has the cursor of the next one
    const { histories, done, next } = pageIn(await api.ask("exportDecisions", { query, signal }));
    for (const { id, records } of histories) {
      if (!seen.add(numberOf(id))) continue;
      // oxlint-disable-next-line no-await-in-loop
      for (const record of records) await addRecord(rehearsal, record, sinceMs);
    }
    onPage(done);
    cursor = next;
  } while (cursor !== undefined && !signal.aborted);
}

/**
 * Reads the decision history into the rehearsal; false if the user ended it.
 *
 * @throws ApiError
 */
export async function readHistory(rehearsal: Rehearsal, reading: Reading): Promise<boolean> {
  const { terminal, signal } = reading;
  const progress = createProgress(terminal.output);
  try {
    await readPages(rehearsal, reading, (done) => progress.show(`${rehearsal.comparison.signIns} sign-ins`, done));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    progress.end();
  }
  return !signal.aborted;
}

import { foldedName } from "@postern/shared/domain/brute-force";
import type { CallerDeadline } from "@postern/shared/platform/concurrency";
import { lookUpAccount } from "../backends/ask-backends.ts";
import type { Backend } from "../backends/backend.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { SuspensionsDep } from "./refuse-suspended.ts";

/**
 * Whether the account behind a typed name is suspended, for mail servers that verify passwords themselves. The backends are asked only while
 * any account is suspended; if they do not answer, the name as typed counts.
 */
export function createIsSuspended(suspensions: SuspensionsDep["suspensions"], backends: () => readonly Backend[]) {
  const isBehind = async (attempt: Attempt, { deadline, signal, watch }: CallerDeadline): Promise<boolean> => {
    const { username } = attempt;
    if ([username, foldedName(username)].some((name) => suspensions.find(name) !== undefined)) return true;
    const context = { deadline, signal, ...(watch && { watch }), facts: {} };
    const found = await lookUpAccount(attempt, context, backends()).catch(() => undefined);
    return found?.outcome === "ok" && suspensions.find(found.account) !== undefined;
  };
  return async (attempt: Attempt, call: CallerDeadline): Promise<boolean> => {
    if (!suspensions.isAny() || attempt.username === "" || !(await isBehind(attempt, call))) return false;
    suspensions.refused();
    return true;
  };
}

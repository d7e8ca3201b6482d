import { pathTo } from "@postern/shared/contracts";
import type { ServiceState } from "../../pages/templates/single-logout.ts";
import type { LogoutTransactionService, LogoutTransactions, ServiceResult } from "./logout-transactions-redis.ts";

/** Path of the page of a logout transaction. */
export function logoutTransactionPath(id: string, more: Readonly<Record<string, string>> = {}): string {
  return `${pathTo("samlLogout")}?${new URLSearchParams({ logout: id, ...more }).toString()}`;
}

function stateOf(
  { channel }: LogoutTransactionService,
  result: ServiceResult | undefined,
  isLate: boolean,
): ServiceState {
  if (result !== undefined) return result;
  if (channel === "none") return "not_told";
  if (!isLate) return "asking";
  return channel === "soap" ? "later" : "no_answer";
}

/** A logout transaction with the results up to now. */
export type LogoutTransactionNow = NonNullable<Awaited<ReturnType<LogoutTransactions["find"]>>>;

export function statesOf({ transaction, results }: LogoutTransactionNow, nowMs: number): readonly ServiceState[] {
  const isLate = nowMs >= transaction.deadlineMs;
  return transaction.services.map((service, index) => stateOf(service, results.get(index), isLate));
}

import { status } from "@grpc/grpc-js";
import type { AuthRequest } from "@postern/shared/contracts";
import { AppError, fromUnknown } from "@postern/shared/errors";
import type { DecisionLog } from "../decision-log.ts";
import type { AccountPages } from "../list-accounts/account-pages.ts";
import { isListable } from "../list-accounts/render.ts";
import type { GatewayMetrics } from "../metrics.ts";
import { type CallResult, errorResult } from "./call-result.ts";

/** What clients of gRPC take of one message unless told otherwise. */
export const maxResponseBytes = 4 * 1024 * 1024;
/** Room for the session, and for the frame around the names. */
const maxNamesBytes = maxResponseBytes - 1024;
/** A tag and a length that no name makes longer. */
const bytesAroundName = 5;

export interface ListAllDeps {
  readonly pages: AccountPages;
  readonly metrics: GatewayMetrics;
  readonly log: DecisionLog;
}

/** A whole list as one message, or no list: half a list would pass for all there is. */
export type ListAllAccounts = (request: AuthRequest, signal: AbortSignal) => Promise<CallResult>;

export function createListAllAccounts({ pages, metrics, log }: ListAllDeps): ListAllAccounts {
  return async (request, signal) => {
    const started = performance.now();
    const accounts: string[] = [];
    let leftOut = 0;
    let bytes = 0;
    let error: AppError | undefined;
    try {
      for await (const page of pages(request, signal)) {
        const listed = page.accounts.filter(isListable);
        leftOut += page.accounts.length - listed.length;
        for (const name of listed) bytes += Buffer.byteLength(name) + bytesAroundName;
        if (bytes > maxNamesBytes) throw new AppError("LIST_TOO_LONG");
        accounts.push(...listed);
      }
    } catch (thrown) {
      error = fromUnknown(thrown);
    }
    const seconds = (performance.now() - started) / 1000;
    const outcome = error === undefined ? "ok" : "tempfail";
    const { dialect, operation, session } = request;
    metrics.decided({ dialect, operation, outcome, seconds });
    log.listed(request, { outcome, error, accounts: accounts.length, leftOut, seconds });
    if (error !== undefined) return errorResult(ours(error));
    return { code: status.OK, message: { accounts, session }, authStatus: "OK" };
  };
}

/** A peer's complaint about our own message is our bug, not the caller's request. */
function ours(error: AppError): AppError {
  return error.row.kind === "caller" && error.code !== "LIST_TOO_LONG"
    ? new AppError("INTERNAL", { cause: error })
    : error;
}

import { status } from "@grpc/grpc-js";
import type { AuthRequest } from "@postern/shared/contracts";
import { AppError, fromUnknown } from "@postern/shared/platform/errors";
import type { GatewayContext } from "../context.ts";
import { engineError } from "../engine-error.ts";
import { isListable } from "../list-accounts/render.ts";
import { type CallResult, errorResult } from "./call-result.ts";

/** Default message size limit of gRPC clients. */
export const maxResponseBytes = 4 * 1024 * 1024;
/** Reserve for the session and for the encoding around the names. */
const maxNamesBytes = maxResponseBytes - 1024;
/** Tag and length of one name; no valid name needs more. */
const bytesAroundName = 5;

/** Returns a whole list as one message or fails: a partial list would be mistaken for the whole. */
export function createListAllAccounts({ accountPages, counts, auth: { log } }: GatewayContext) {
  return async (request: AuthRequest, signal: AbortSignal, caller: string | null): Promise<CallResult> => {
    const started = performance.now();
    const accounts: string[] = [];
    let leftOut = 0;
    let bytes = 0;
    let error: AppError | undefined;
    try {
      for await (const page of accountPages(request, signal)) {
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
    counts.decided({ dialect, operation, outcome, seconds });
    log.listed(request, { outcome, error, accounts: accounts.length, leftOut, seconds }, caller);
    if (error !== undefined) return errorResult(error.code === "LIST_TOO_LONG" ? error : engineError(error));
    return { code: status.OK, message: { accounts, session }, authStatus: "OK" };
  };
}

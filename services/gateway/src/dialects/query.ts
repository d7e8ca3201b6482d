import type { AuthOperation } from "@postern/shared/contracts";
import { splitTarget } from "../http/request-path.ts";
import { malformed } from "./request-error.ts";

export interface AuthQuery {
  readonly operation: AuthOperation;
  readonly memoryCache: boolean;
  readonly sharedCache: boolean;
}

/** Also used for dialects that accept no query. */
export const plainQuery: AuthQuery = { operation: "authenticate", memoryCache: true, sharedCache: true };

function operationOf(mode: string | null): AuthOperation {
  if (mode === null || mode === "") return "authenticate";
  if (mode === "no-auth") return "lookup";
  if (mode === "list-accounts") return "list-accounts";
  throw malformed("mode is not supported");
}

/**
 * The operation that the query asks for, before the body is read. A malformed query counts as `authenticate`; it is answered with 400 later.
 */
export function requestedOperation(url: string): AuthOperation {
  try {
    return parseAuthQuery(url).operation;
  } catch {
    return plainQuery.operation;
  }
}

/**
 * Parses the query of the authentication endpoints. A repeated parameter is rejected, because proxies disagree on which one counts. Any
 * value of `in-memory` and `cache` other than `0` leaves the cache on.
 */
export function parseAuthQuery(url: string): AuthQuery {
  const { query: text } = splitTarget(url);
  if (text === "") return plainQuery;
  const query = new URLSearchParams(text);
  for (const name of ["mode", "in-memory", "cache"]) {
    if (query.getAll(name).length > 1) throw malformed(`${name} is given more than once`);
  }
  return {
    operation: operationOf(query.get("mode")),
    memoryCache: query.get("in-memory") !== "0",
    sharedCache: query.get("cache") !== "0",
  };
}

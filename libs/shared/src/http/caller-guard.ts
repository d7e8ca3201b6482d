import type { IncomingHttpHeaders } from "node:http";
import { type Caller, callerAssertionHeader, type VerifyCaller } from "./caller-assertion.ts";

/** Reads who is calling from a request that came through the gateway; undefined for any other. */
export type ReadCaller = (headers: IncomingHttpHeaders) => Promise<Caller | undefined>;

/** Nothing but the gateway's signature counts: a plain header proves nothing (design decision 10). */
export function createCallerReader(verify: VerifyCaller): ReadCaller {
  return async (headers) => {
    const assertion = headers[callerAssertionHeader];
    return typeof assertion === "string" ? verify(assertion) : undefined;
  };
}

/** Contract, "Backchannel callers", rules 2 and 3: Basic is the administrative credential; Bearer needs one of the scopes. */
export function mayUse(caller: Caller, anyScope: readonly string[]): boolean {
  switch (caller.method) {
    case "basic":
      return true;
    case "bearer":
      return anyScope.length === 0 || anyScope.some((scope) => caller.scopes.includes(scope));
    case "none":
      return false;
  }
}

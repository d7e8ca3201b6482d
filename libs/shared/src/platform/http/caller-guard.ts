import type { IncomingHttpHeaders } from "node:http";
import { type Caller, callerAssertionHeader, type VerifyCaller } from "./caller-assertion.ts";

/** Reads the caller of a request that came through the gateway; undefined for any other request. */
export type ReadCaller = (headers: IncomingHttpHeaders) => Promise<Caller | undefined>;

/** Only the gateway's signature counts; a plain header proves nothing (ADR 0010). */
export function createCallerReader(verify: VerifyCaller): ReadCaller {
  return async (headers) => {
    const assertion = headers[callerAssertionHeader];
    return typeof assertion === "string" ? verify(assertion) : undefined;
  };
}

/**
 * Basic is the administrative credential; Bearer needs one of the scopes (docs/reference/api/management.yaml). Whether developer mode admits callers without
 * credentials is decided by the gateway alone, which knows the configured authentication.
 */
export function mayUse(caller: Caller, anyScope: readonly string[]): boolean {
  switch (caller.method) {
    case "basic":
      return true;
    case "bearer":
      return anyScope.length === 0 || anyScope.some((scope) => caller.scopes.includes(scope));
    case "none":
      return caller.isOpen === true;
  }
}

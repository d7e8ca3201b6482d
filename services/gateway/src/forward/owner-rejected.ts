import type { Logger } from "@postern/shared/platform/logging";
import type { Limits } from "../limits/context.ts";
import { isPasswordPath, passwordKey } from "../limits/password-failures.ts";
import type { ForwardDeps } from "./forward.ts";

export interface OwnerRejectedDeps extends Pick<Limits, "budget" | "passwordBudget"> {
  /** The key by which budgets count an address. */
  readonly keyOf: (callerIp: string) => string;
  /** Counts a caller whose budget is empty. */
  readonly exhausted: () => void;
  readonly logger: Pick<Logger, "warn">;
}

/**
 * Takes a token of the failure budget when a service behind the gateway rejects credentials. A wrong password (401) also takes one of the
 * password budget; 403 means a correct password without a role.
 */
export function createOwnerRejected(deps: OwnerRejectedDeps): ForwardDeps["onOwnerRejected"] {
  const { budget, passwordBudget, keyOf, exhausted, logger } = deps;
  return async ({ callerIp, session, status, url }) => {
    const key = keyOf(callerIp);
    const isWrongPassword = status === 401 && isPasswordPath(url);
    const spent = [budget.spend(key), ...(isWrongPassword ? [passwordBudget.spend(passwordKey(key))] : [])];
    const waitMs = Math.max(...(await Promise.all(spent)));
    // `client_ip` is the field's name in the log: here the address of the API caller.
    const fields = { session, transport: "http", client_ip: callerIp, reason: "bad_jwt_login", status };
    if (waitMs > 0) exhausted();
    else logger.warn(fields, "caller rejected");
    return waitMs;
  };
}

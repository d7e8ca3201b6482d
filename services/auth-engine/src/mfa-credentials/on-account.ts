import type { MfaRefusal, MfaTarget } from "@postern/shared/contracts";
import type { Backend } from "../backends/backend.ts";
import type { MfaCredentialKind } from "../backends/mfa-credentials.ts";
import type { CallContext } from "../decision/call-context.ts";
import { type FoundAccount, findAccount, isRefusal, requireKind } from "./find-account.ts";

export const done = { outcome: "ok" } as const;

export function invalid(detail: string): MfaRefusal {
  return { outcome: "invalid", detail };
}

/** Does the work on the account that the target names, or returns the refusal if there is no such account. */
export type OnAccount = <R>(
  target: MfaTarget,
  kind: MfaCredentialKind,
  context: CallContext,
  work: (found: FoundAccount) => Promise<R>,
) => Promise<R | MfaRefusal>;

export function createOnAccount(backends: () => readonly Backend[]): OnAccount {
  return async (target, kind, context, work) => {
    const found = await findAccount(backends(), target, context);
    if (isRefusal(found)) return found;
    return requireKind(found, kind) ?? work(found);
  };
}

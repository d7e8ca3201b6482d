import type { MfaRefusal, MfaTarget } from "@postern/shared/contracts";
import type { Directory } from "../directories/directory.ts";
import type { CallContext } from "../rpc/call-context.ts";
import { type FoundAccount, findAccount, isRefusal, requireKind } from "./find-account.ts";
import type { ArtefactKind } from "./mfa-artefacts.ts";

export const done = { outcome: "ok" } as const;

export function invalid(detail: string): MfaRefusal {
  return { outcome: "invalid", detail };
}

/** Does the work on the account that the target names, or tells why there is none. */
export type OnAccount = <R>(
  target: MfaTarget,
  kind: ArtefactKind,
  context: CallContext,
  work: (found: FoundAccount) => Promise<R>,
) => Promise<R | MfaRefusal>;

export function createOnAccount(directories: () => readonly Directory[]): OnAccount {
  return async (target, kind, context, work) => {
    const found = await findAccount(directories(), target, context);
    if (isRefusal(found)) return found;
    return requireKind(found, kind) ?? work(found);
  };
}

import type { MfaRefusal, MfaTarget } from "@postern/shared/contracts";
import type { Backend } from "../backends/backend.ts";
import type { FactorKind, MfaAccount } from "../backends/second-factor-store.ts";
import type { CallContext } from "../decision/call-context.ts";

/** An account in its backend, whose MFA credentials may be read and changed. */
export interface FoundAccount {
  readonly backend: Backend;
  readonly account: MfaAccount;
}

const refuse = (outcome: MfaRefusal["outcome"]): MfaRefusal => ({ outcome });

/** `sql`, `ldap(pool)`, or the bare name of a pool. */
function isNamed({ kind, name }: Backend, backendName: string): boolean {
  return name === backendName || name === `${kind}(${backendName})` || (backendName === "default" && name === kind);
}

function candidates(backends: readonly Backend[], { backend = "", backendName = "" }: MfaTarget): readonly Backend[] {
  return backends.filter(
    (candidate) =>
      (backend === "" || candidate.kind === backend) && (backendName === "" || isNamed(candidate, backendName)),
  );
}

/**
 * The MFA credentials are in the first backend that knows the user, like the password. An unavailable backend ends the
 * search: a later one may know the same name without its second factor, which would let an attacker in.
 *
 * @throws AppError of kind `unavailable`.
 */
export async function findAccount(
  backends: readonly Backend[],
  target: MfaTarget,
  context: CallContext,
): Promise<FoundAccount | MfaRefusal> {
  const { username, protocol } = target;
  const eligible = candidates(backends, target);
  if (eligible.length === 0) return refuse("unknown_backend");
  for (const backend of eligible) {
    if (backend.mfa === undefined) {
      const outcome = await backend.lookup({ username, protocol: protocol ?? "mfa" }, context);
      if (outcome.kind === "ok") return refuse("unsupported");
      continue;
    }
    const found = await backend.mfa.findAccount({ username, protocol }, context);
    if (found.kind === "ok") return { backend, account: found.account };
  }
  return refuse("unknown_user");
}

export function isRefusal(found: FoundAccount | MfaRefusal): found is MfaRefusal {
  return "outcome" in found;
}

export const done = { outcome: "ok" } as const;

export function invalid(detail: string): MfaRefusal {
  return { outcome: "invalid", detail };
}

/** Does the work on the account that the target names, or returns the refusal if there is no such account. */
export function createOnAccount(backends: () => readonly Backend[]) {
  return async <R>(
    target: MfaTarget,
    kind: FactorKind,
    context: CallContext,
    work: (found: FoundAccount) => Promise<R>,
  ): Promise<R | MfaRefusal> => {
    const found = await findAccount(backends(), target, context);
    if (isRefusal(found)) return found;
    return found.account.supports.has(kind) ? work(found) : refuse("unsupported");
  };
}

export type OnAccount = ReturnType<typeof createOnAccount>;

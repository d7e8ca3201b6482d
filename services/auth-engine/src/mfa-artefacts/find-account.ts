import type { MfaRefusal, MfaTarget } from "@postern/shared/contracts";
import type { Directory } from "../directories/directory.ts";
import type { CallContext } from "../rpc/call-context.ts";
import type { ArtefactKind, MfaAccount } from "./mfa-artefacts.ts";

/** An account whose artefacts may be asked for, in its directory. */
export interface FoundAccount {
  readonly directory: Directory;
  readonly account: MfaAccount;
}

const refuse = (outcome: MfaRefusal["outcome"]): MfaRefusal => ({ outcome });

/** `sql`, `ldap(pool)`, or the bare name of a pool. */
function isNamed({ kind, name }: Directory, backendName: string): boolean {
  return name === backendName || name === `${kind}(${backendName})` || (backendName === "default" && name === kind);
}

function candidates(
  directories: readonly Directory[],
  { backend = "", backendName = "" }: MfaTarget,
): readonly Directory[] {
  return directories.filter(
    (directory) =>
      (backend === "" || directory.kind === backend) && (backendName === "" || isNamed(directory, backendName)),
  );
}

/**
 * The first directory that knows the user has the artefacts, as it has the password. One that cannot be asked ends the
 * search: the next may know the same name without its second factor, which would let somebody in who should not be.
 *
 * @throws AppError of kind `unavailable`.
 */
export async function findAccount(
  directories: readonly Directory[],
  target: MfaTarget,
  context: CallContext,
): Promise<FoundAccount | MfaRefusal> {
  const { username, protocol } = target;
  const asked = candidates(directories, target);
  if (asked.length === 0) return refuse("unknown_backend");
  for (const directory of asked) {
    if (directory.mfa === undefined) {
      const outcome = await directory.lookup({ username, protocol: protocol ?? "mfa" }, context);
      if (outcome.kind === "ok") return refuse("unsupported");
      continue;
    }
    const found = await directory.mfa.find({ username, protocol }, context);
    if (found.kind === "ok") return { directory, account: found.account };
  }
  return refuse("unknown_user");
}

export function isRefusal(found: FoundAccount | MfaRefusal): found is MfaRefusal {
  return "outcome" in found;
}

/** The refusal where the account's directory keeps no artefacts of this kind. */
export function requireKind({ account }: FoundAccount, kind: ArtefactKind): MfaRefusal | undefined {
  return account.supports.has(kind) ? undefined : refuse("unsupported");
}

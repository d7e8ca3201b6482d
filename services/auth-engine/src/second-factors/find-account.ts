import type { MfaRefusal, MfaTarget } from "@postern/shared/contracts";
import { type AppError, fromUnknown } from "@postern/shared/platform/errors";
import type { Backend } from "../backends/backend.ts";
import type { BackendsByName } from "../backends/backends-by-name.ts";
import type { CredentialSearch, FactorKind, MfaAccount } from "../backends/second-factor-store.ts";
import { webauthnCredentialId } from "../backends/webauthn-credential.ts";
import type { CallContext } from "../pipeline/attempt.ts";

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
  backends: BackendsByName,
  target: MfaTarget,
  context: CallContext,
): Promise<FoundAccount | MfaRefusal> {
  const { username, protocol } = target;
  const eligible = candidates(await backends.of(username), target);
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
export function createOnAccount(backends: BackendsByName) {
  return async <R>(
    target: MfaTarget,
    kind: FactorKind,
    context: CallContext,
    work: (found: FoundAccount) => Promise<R>,
  ): Promise<R | MfaRefusal> => {
    const found = await findAccount(backends, target, context);
    if (isRefusal(found)) return found;
    return found.account.supports.has(kind) ? work(found) : refuse("unsupported");
  };
}

export type OnAccount = ReturnType<typeof createOnAccount>;

async function holds({ account }: FoundAccount, id: string, context: CallContext): Promise<boolean> {
  if (!account.supports.has("webauthn")) return false;
  const { webauthnCredentials } = await account.readFactors(context);
  return webauthnCredentials.some((text) => webauthnCredentialId(text) === id);
}

/** All backends answer, because a search that ended with the first that knows the name would reveal which names are known. */
async function searchAll(
  backends: readonly Backend[],
  search: CredentialSearch,
  target: MfaTarget,
  context: CallContext,
) {
  const { username, protocol } = target;
  const answers = await Promise.allSettled(
    backends.map(async ({ mfa }) => (await mfa?.findHolders(search, { username, protocol }, context)) ?? []),
  );
  const holders = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const failures = answers.flatMap((answer) => (answer.status === "rejected" ? [fromUnknown(answer.reason)] : []));
  return { names: new Set(holders.map(({ account }) => account)), failures };
}

/**
 * The backends in which the holder of a credential is sought. A passkey that is used without a name has a random handle, which belongs to no
 * domain: it may be that of any account in the site's backends. Those of customers are not asked: one could copy the credentials of others.
 */
async function searchedFor(backends: BackendsByName, username: string): Promise<readonly Backend[]> {
  const ofName = await backends.of(username);
  if (username.includes("@")) return ofName;
  const { ofSite } = backends;
  return [...ofSite, ...ofName.filter(({ name }) => ofSite.every((one) => one.name !== name))];
}

/**
 * The account that holds a WebAuthn credential. Strangers can cause it, so the requests to backends are the same for all names and credentials
 * that do not fit each other. An account counts only if the backends of its domain together know it by that name.
 *
 * @throws AppError of kind `unavailable` if no account was found and a backend did not answer.
 */
export async function findCredentialHolder(
  backends: BackendsByName,
  target: MfaTarget,
  id: string,
  context: CallContext,
): Promise<FoundAccount | MfaRefusal> {
  const failures: AppError[] = [];
  const searched = await searchedFor(backends, target.username);
  for (const by of ["name", "start"] as const) {
    const answers = await searchAll(searched, { id, by }, target, context);
    failures.push(...answers.failures);
    for (const username of answers.names) {
      const found = await findAccount(backends, { ...target, username }, context);
      if (!isRefusal(found) && (await holds(found, id, context))) return found;
    }
  }
  if (failures[0] !== undefined) throw failures[0];
  return { outcome: "unknown_user" };
}

import type { MfaRefusal, MfaTarget } from "@postern/shared/contracts";
import { type AppError, fromUnknown } from "@postern/shared/platform/errors";
import type { Backend } from "../backends/backend.ts";
import type { CredentialSearch } from "../backends/second-factor-store.ts";
import type { CallContext } from "../decision/call-context.ts";
import { type FoundAccount, findAccount, isRefusal } from "./find-account.ts";
import { webauthnCredentialId } from "./webauthn-credential.ts";

interface Wanted {
  /** Its name is the one under which the credential is searched for first. */
  readonly target: MfaTarget;
  readonly id: string;
}

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
 * The account that holds a WebAuthn credential. Strangers can cause it, so the requests to backends are the same for all names and credentials
 * that do not fit each other. An account counts only if all backends together know it by that name.
 *
 * @throws AppError of kind `unavailable` if no account was found and a backend did not answer.
 */
export async function findCredentialHolder(
  backends: readonly Backend[],
  { target, id }: Wanted,
  context: CallContext,
): Promise<FoundAccount | MfaRefusal> {
  const failures: AppError[] = [];
  for (const by of ["name", "start"] as const) {
    const answers = await searchAll(backends, { id, by }, target, context);
    failures.push(...answers.failures);
    for (const username of answers.names) {
      const found = await findAccount(backends, { ...target, username }, context);
      if (!isRefusal(found) && (await holds(found, id, context))) return found;
    }
  }
  if (failures[0] !== undefined) throw failures[0];
  return { outcome: "unknown_user" };
}

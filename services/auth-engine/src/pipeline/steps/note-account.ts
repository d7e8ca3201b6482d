import type { Backend, BackendQuery } from "../../backends/backend.ts";
import type { Attempt } from "../../decision/attempt.ts";
import type { CallContext } from "../../decision/call-context.ts";
import type { StepContext } from "../step.ts";

/**
 * Whether the account has a TOTP secret or a WebAuthn credential in the backend that let it in. Recovery codes alone do
 * not count, as they only replace another factor. Only the first call queries the backend.
 *
 * @throws AppError of kind `unavailable`; an unknown answer is never "none".
 */
function secondFactorLookup(
  { mfa }: Backend,
  { username, protocol }: Pick<BackendQuery, "username" | "protocol">,
  context: CallContext,
): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined;
  const ask = async (): Promise<boolean> => {
    const found = await mfa?.findAccount({ username, protocol }, context);
    if (found?.kind !== "ok") return false;
    const { totpSecret, webauthnCredentials } = await found.account.readFactors(context);
    return totpSecret !== undefined || webauthnCredentials.length > 0;
  };
  return () => (answer ??= ask());
}

/**
 * Notes what later steps and policies may need to know about an account that a backend found. A cached answer notes the
 * same, so policies work the same for it.
 */
export function noteAccount(
  backend: Backend,
  groups: readonly string[] | undefined,
  attempt: Attempt,
  context: StepContext,
): void {
  const { facts } = context;
  facts.accountKnown = true;
  facts.backendName = backend.name;
  facts.groups = groups;
  facts.accountHasSecondFactor = secondFactorLookup(backend, attempt, context);
}

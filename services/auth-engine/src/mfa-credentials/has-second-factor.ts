import type { Backend, BackendQuery } from "../backends/backend.ts";
import type { CallContext } from "../decision/call-context.ts";

/**
 * Whether the account has a TOTP secret or a WebAuthn credential in the backend that let it in. Recovery codes alone do
 * not count, as they only replace another factor. Only the first call queries the backend.
 *
 * @throws AppError of kind `unavailable`; an unknown answer is never "none".
 */
export function secondFactorLookup(
  { mfa }: Backend,
  { username, protocol }: Pick<BackendQuery, "username" | "protocol">,
  context: CallContext,
): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined;
  const ask = async (): Promise<boolean> => {
    const found = await mfa?.find({ username, protocol }, context);
    if (found?.kind !== "ok") return false;
    const { totpSecret, webauthnCredentials } = await found.account.readFactors(context);
    return totpSecret !== undefined || webauthnCredentials.length > 0;
  };
  return () => (answer ??= ask());
}

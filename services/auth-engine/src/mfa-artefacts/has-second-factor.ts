import type { Directory, DirectoryQuery } from "../directories/directory.ts";
import type { CallContext } from "../rpc/call-context.ts";

/**
 * Whether the account has a TOTP secret or a WebAuthn credential in the directory that let it in. Recovery codes alone
 * are none: they stand in for one. Asks the directory at the first call only.
 *
 * @throws AppError of kind `unavailable`: undecided is not "has none".
 */
export function secondFactorQuestion(
  { mfa }: Directory,
  { username, protocol }: Pick<DirectoryQuery, "username" | "protocol">,
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

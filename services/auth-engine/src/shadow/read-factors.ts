import type { Backend, BackendContext, BackendQuery } from "../backends/backend.ts";

const counted = (name: string, count: number): readonly string[] => (count === 0 ? [] : [`${count} ${name}`]);

/**
 * The kinds of second factors that an account has in a backend; their values are not compared, because each backend may encrypt them
 * otherwise. Undefined if the backend does not find the account by its searches for second factors.
 *
 * @throws AppError of kind `unavailable`
 */
export async function readFactorKinds(
  { mfa }: Backend,
  { username, protocol }: Pick<BackendQuery, "username" | "protocol">,
  context: BackendContext,
): Promise<readonly string[] | undefined> {
  if (mfa === undefined) return [];
  const found = await mfa.findAccount({ username, protocol }, context);
  if (found.kind !== "ok") return undefined;
  const { account } = found;
  const [{ totpSecret, recoveryCodes, webauthnCredentials }, appPasswords] = await Promise.all([
    account.readFactors(context),
    account.supports.has("app_passwords") ? account.listAppPasswords(context) : [],
  ]);
  return [
    ...(totpSecret === undefined ? [] : ["totp"]),
    ...counted("webauthn", webauthnCredentials.length),
    ...counted("recovery codes", recoveryCodes.length),
    ...counted("app passwords", appPasswords.length),
  ];
}

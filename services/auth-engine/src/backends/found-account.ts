import { BackendKind, type Ok } from "@postern/shared/contracts";
import type { Attempt, CallContext } from "../pipeline/attempt.ts";
import type { StepContext } from "../pipeline/step.ts";
import type { Backend, BackendAccount, BackendQuery } from "./backend.ts";

type Attributes = Record<string, string[]>;

/**
 * Adds the attribute with the account's name. Callers read its name from `account_field`, so it is present even if the
 * site does not list it among the released attributes. It comes last, so that a header in the site's own spelling
 * stays.
 */
export function withAccountAttribute(attributes: Attributes, accountField: string, account: string): Attributes {
  if (Object.hasOwn(attributes, accountField)) return attributes;
  return { ...attributes, [accountField]: [account] };
}

/** What only the identity provider and the console read; the decisions of mail sign-ins, which caches keep, stay small. */
function forSessions({ name }: Backend, { displayName, groupDns }: BackendAccount, { dialect }: Attempt): Partial<Ok> {
  if (dialect !== "idp") return {};
  return {
    backendName: name,
    ...(displayName === undefined ? {} : { displayName }),
    ...(groupDns === undefined ? {} : { groupDns: [...groupDns] }),
  };
}

export function okDecision(backend: Backend, found: BackendAccount, attempt: Attempt): Ok {
  const { account, uniqueUserId, accountField, totpSecretField, attributes, groups } = found;
  return {
    outcome: "ok",
    account,
    ...(uniqueUserId === undefined ? {} : { uniqueUserId }),
    accountField,
    totpSecretField,
    backend: BackendKind[backend.kind],
    attributes: withAccountAttribute(attributes, accountField, account),
    ...(groups === undefined ? {} : { groups: [...groups] }),
    ...forSessions(backend, found, attempt),
    memoryCache: "miss",
  };
}

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

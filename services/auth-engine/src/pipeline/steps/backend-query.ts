import { BackendKind, type Ok } from "@postern/shared/contracts";
import type { Backend, BackendAccount, BackendQuery } from "../../backends/backend.ts";
import { withAccountAttribute } from "../../decision/account-attribute.ts";
import type { Attempt } from "../../decision/attempt.ts";

export function backendQuery({ username, protocol, clientIp, clientPort, localIp, localPort }: Attempt): BackendQuery {
  return { username, protocol, clientIp, clientPort, localIp, localPort };
}

/** What only the identity provider reads; the decisions of mail sign-ins, which caches keep, stay small. */
function forSessions({ displayName, groupDns }: BackendAccount, { dialect }: Attempt): Partial<Ok> {
  if (dialect !== "idp") return {};
  return {
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
    ...forSessions(found, attempt),
    memoryCache: "miss",
  };
}

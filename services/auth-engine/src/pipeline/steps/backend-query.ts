import { BackendKind, type Ok } from "@postern/shared/contracts";
import type { Backend, BackendAccount, BackendQuery } from "../../backends/backend.ts";
import { withAccountAttribute } from "../../decision/account-attribute.ts";
import type { Attempt } from "../../decision/attempt.ts";

export function backendQuery({ username, protocol, clientIp, clientPort, localIp, localPort }: Attempt): BackendQuery {
  return { username, protocol, clientIp, clientPort, localIp, localPort };
}

export function okDecision(
  backend: Backend,
  { account, uniqueUserId, accountField, totpSecretField, attributes, groups }: BackendAccount,
): Ok {
  return {
    outcome: "ok",
    account,
    ...(uniqueUserId === undefined ? {} : { uniqueUserId }),
    accountField,
    totpSecretField,
    backend: BackendKind[backend.kind],
    attributes: withAccountAttribute(attributes, accountField, account),
    ...(groups === undefined ? {} : { groups: [...groups] }),
    memoryCache: "miss",
  };
}

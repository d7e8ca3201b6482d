import { BackendKind, type Ok } from "@postern/shared/contracts";
import type { Directory, DirectoryAccount, DirectoryQuery } from "../../directories/directory.ts";
import type { Attempt } from "../attempt.ts";

export function directoryQuery({
  username,
  protocol,
  clientIp,
  clientPort,
  localIp,
  localPort,
}: Attempt): DirectoryQuery {
  return { username, protocol, clientIp, clientPort, localIp, localPort };
}

export function okDecision(
  directory: Directory,
  { account, accountField, totpSecretField, attributes, groups }: DirectoryAccount,
): Ok {
  return {
    outcome: "ok",
    account,
    accountField,
    totpSecretField,
    backend: BackendKind[directory.kind],
    attributes: Object.fromEntries(Object.entries(attributes).map(([name, values]) => [name, [...values]])),
    ...(groups === undefined ? {} : { groups: [...groups] }),
    memoryCache: "miss",
  };
}

import type { Config } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { parseHostPort } from "@postern/shared/platform/net";

export function idpSettings({ runtime }: Config) {
  const { idp, caller_assertion } = runtime.services;
  const address = parseHostPort(idp.address);
  if (address === undefined) throw new RangeError(`runtime.services.idp.address: ${idp.address}`);
  return {
    identifier: runtime.naming.identifier,
    address,
    privateAddress: idp.private_address,
    assertionSecret: new Secret(caller_assertion.secret),
    requestTimeoutMs: runtime.servers.http.request_timeout,
    maxBodyBytes: runtime.servers.http.max_body_bytes,
  };
}

import { errorCodes } from "@postern/shared/errors";
import { createCidrSet } from "@postern/shared/net";
import type { Control } from "./control.ts";

/**
 * Without TLS between client and mail server the answer is a temporary failure: the password may well be right, and
 * the client shall change its settings, not its password.
 *
 * @param cleartextNetworks `auth.controls.tls_encryption.allow_cleartext_networks`
 */
export function createTlsRequired(cleartextNetworks: readonly string[]): Control {
  const exempt = createCidrSet(cleartextNetworks);
  return {
    name: "tls_encryption",
    check: ({ tls, clientIp }, { facts }) => {
      facts.tlsSecure = tls;
      if (tls || (clientIp !== undefined && exempt.has(clientIp))) return undefined;
      return { outcome: "tempfail", code: "TLS_REQUIRED", message: errorCodes.TLS_REQUIRED.publicMessage };
    },
  };
}

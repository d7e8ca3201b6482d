import { errorCodes } from "@postern/shared/platform/errors";
import { createCidrSet } from "@postern/shared/platform/net";
import type { Control } from "./controls.ts";

/**
 * Answers with a temporary failure if client and mail server did not use TLS: the password may be right, and the user
 * has to change the client's settings, not the password.
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

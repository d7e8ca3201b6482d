import type { ClientCertificate } from "@postern/shared/platform/http";

/** Passes the client's certificate to the provider, in base64url; only the bridge sets it. */
export const certificateHeader = "x-service-client-certificate";

/** Not verified: the provider only binds tokens to the certificate, and does not authenticate clients by it. */
export function certificateInHeader(value: string): ClientCertificate | undefined {
  return value === "" ? undefined : { der: value, isVerified: false };
}

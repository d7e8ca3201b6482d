import { hash } from "node:crypto";
import type { ClientCertificate } from "@postern/shared/platform/http";
import { textOf } from "../storage/json.ts";
import type { ResolvedToken } from "./resolve-token.ts";

/** The thumbprint of the certificate that a token is bound to (RFC 8705 §3.1); undefined for other tokens. */
export function boundCertificate({ payload }: Pick<ResolvedToken, "payload">): string | undefined {
  return textOf(payload["x5t#S256"]);
}

/** Whether a token may be used as a bearer token on a connection with this certificate. A DPoP token never may. */
export function mayBear(token: ResolvedToken, certificate: ClientCertificate | undefined): boolean {
  if (!token.isBound) return true;
  const thumbprint = boundCertificate(token);
  if (thumbprint === undefined || token.payload.jkt !== undefined || certificate === undefined) return false;
  return hash("sha256", Buffer.from(certificate.der, "base64url"), "base64url") === thumbprint;
}

import { X509Certificate } from "node:crypto";
import type { OwnReport } from "@postern/shared/assembly";
import type { IdpContext } from "./context.ts";

/** What the identity provider reports about itself beside its health: the end of the SAML signing certificate. */
export async function reportIdp({ saml }: Pick<IdpContext, "saml">): Promise<OwnReport> {
  if (saml === undefined) return {};
  const { certificate } = await saml.routes.keys();
  const { validToDate } = new X509Certificate(Buffer.from(certificate, "base64"));
  return { expiries: [{ name: "SAML signing certificate", endMs: validToDate.getTime() }] };
}

import { X509Certificate } from "node:crypto";
import type { OwnReport } from "@postern/shared/assembly";
import { endsWithin } from "@postern/shared/platform/concurrency";
import type { IdpContext } from "./context.ts";

type SigningKeys = NonNullable<OwnReport["signingKeys"]>;

/** Operators wait for the report; health checks have as long. */
const keysMs = 500;

/** The list is empty if Redis does not answer in time. */
async function oidcKeys({ oidc }: Pick<IdpContext, "oidc">): Promise<SigningKeys> {
  const keys: SigningKeys = [];
  const read = async (): Promise<void> => {
    for (const { kid, signs, created, signs_from: from } of (await oidc?.keyAdministration.list()) ?? []) {
      keys.push({
        name: `OIDC ${kid}`,
        signs,
        ...(created !== undefined && { createdMs: Date.parse(created) }),
        ...(from !== undefined && { signsFromMs: Date.parse(from) }),
      });
    }
  };
  await endsWithin(read(), keysMs);
  return [...keys];
}

/** What the identity provider reports about itself beside its health: its signing keys, and the end of a SAML certificate that it generated. */
export async function reportIdp(context: Pick<IdpContext, "saml" | "oidc" | "configuration">): Promise<OwnReport> {
  const { saml, configuration } = context;
  const keys = await oidcKeys(context);
  if (saml === undefined) return { signingKeys: keys };
  const { certificate } = await saml.routes.keys();
  const { validFromDate, validToDate } = new X509Certificate(Buffer.from(certificate, "base64"));
  const { cert, cert_file: file } = configuration.current().identity.saml;
  const isGenerated = cert + file === "";
  return {
    expiries: isGenerated ? [{ name: "SAML signing certificate", endMs: validToDate.getTime() }] : [],
    signingKeys: [...keys, { name: "SAML", createdMs: validFromDate.getTime(), signs: ["SAML"] }],
  };
}

import { inflateRawSync } from "node:zlib";
import { SAML } from "@node-saml/node-saml";
import type { Stack } from "../../../support/stack.ts";
import type { Drive, DriveParts } from "../drive.ts";
import { samlProvider } from "../settings.ts";

const type = "application/x-www-form-urlencoded";

const provider = ({ url }: Stack): SAML =>
  new SAML({
    issuer: samlProvider.entity_id,
    callbackUrl: samlProvider.acs_url,
    entryPoint: `${url}/saml/sso`,
    logoutUrl: `${url}/saml/slo`,
    idpCert: "not asked for",
    identifierFormat: null,
    disableRequestedAuthnContext: true,
  });

const signIn = async (stack: Stack): Promise<string> => provider(stack).getAuthorizeUrlAsync("state", undefined, {});

function signOut(stack: Stack): Promise<string> {
  const nameIDFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
  return provider(stack).getLogoutUrlAsync({ issuer: stack.url, nameID: "nobody", nameIDFormat }, "state", {});
}

const byQuery = (url: string): DriveParts => ({
  query: Object.fromEntries(new URL(url).searchParams),
  authorization: null,
});

function byForm(url: string): DriveParts {
  const deflated = Buffer.from(new URL(url).searchParams.get("SAMLRequest") ?? "", "base64");
  const value = { SAMLRequest: inflateRawSync(deflated).toString("base64"), RelayState: "state" };
  return { body: { type, value }, authorization: null };
}

const wrong: DriveParts = { query: { SAMLRequest: "none" }, authorization: null };
const wrongForm: DriveParts = { body: { type, value: { SAMLRequest: "none" } }, authorization: null };

export const samlDrives: readonly Drive[] = [
  { operationId: "samlMetadata", status: 200, parts: () => ({ authorization: null }) },
  { operationId: "samlSignIn", status: 302, parts: async (stack) => byQuery(await signIn(stack)) },
  { operationId: "samlSignIn", status: 400, parts: () => wrong },
  { operationId: "samlSignInPost", status: 302, parts: async (stack) => byForm(await signIn(stack)) },
  { operationId: "samlSignInPost", status: 400, parts: () => wrongForm },
  { operationId: "samlLogout", status: 302, parts: async (stack) => byQuery(await signOut(stack)) },
  { operationId: "samlLogout", status: 400, parts: () => wrong },
  { operationId: "samlLogoutPost", status: 302, parts: async (stack) => byForm(await signOut(stack)) },
  { operationId: "samlLogoutPost", status: 400, parts: () => wrongForm },
];

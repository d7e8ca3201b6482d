import type { OidcClientConfig } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import { type Adapter, type ClientMetadata, type Configuration, Provider } from "oidc-provider";
import { createSigningKey, keyKinds } from "../keys/signing-keys.ts";
import { certificateHeader, certificateInHeader, refuseRequestObject } from "../request-objects/hand-over.ts";
import { oidcSignatures } from "../settings/client-profile.ts";
import { type OidcSettings, offeredSignatures } from "../settings/oidc-settings.ts";
import { siteResponseTypes } from "../settings/response-types.ts";
import { userCodeForm } from "../settings/user-codes.ts";
import { judgeEachAddress, statedType } from "./address-rules.ts";
import { readCertificate } from "./client-certificate.ts";
import { clientMetadata, clientPolicies } from "./clients.ts";

/** The enabled parts of the protocol, which decide what a client may be registered with. */
export function registrationRules(settings: OidcSettings) {
  const { oidc, certificates, nonceSecret } = settings;
  const issued = [...offeredSignatures(settings)];
  const nonces = nonceSecret === undefined ? undefined : { nonceSecret, requireNonce: () => true };
  return {
    responseTypes: [...siteResponseTypes(oidc)],
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
    enabledJWA: {
      idTokenSigningAlgValues: issued,
      clientAuthSigningAlgValues: oidcSignatures,
      dPoPSigningAlgValues: oidcSignatures,
      requestObjectSigningAlgValues: oidcSignatures,
      authorizationSigningAlgValues: issued,
      userinfoSigningAlgValues: issued,
    },
    clientDefaults: { id_token_signed_response_alg: "RS256" },
    extraClientMetadata: { properties: [statedType] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      deviceFlow: { enabled: true, ...userCodeForm(oidc.device_flow.user_code_length) },
      rpInitiatedLogout: { enabled: true },
      backchannelLogout: { enabled: oidc.logout.back_channel_supported },
      jwtUserinfo: { enabled: true },
      claimsParameter: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      dPoP: { enabled: true, ...nonces },
      requestObjects: { enabled: true, assertJwtClaimsAndHeader: refuseRequestObject },
      jwtResponseModes: { enabled: true },
      mTLS: {
        enabled: certificates,
        certificateBoundAccessTokens: certificates,
        getCertificate: (ctx) => readCertificate(certificateInHeader(ctx.get(certificateHeader))),
      },
    },
  } as const satisfies Configuration;
}

function faultIn(error: unknown): string {
  const detail: unknown = error instanceof Error && "error_description" in error ? error.error_description : undefined;
  return typeof detail === "string" ? detail : String(error);
}

/** @returns why a client with this metadata is invalid, in the provider's words */
export function metadataFault({ Client }: Pick<Provider, "Client">, metadata: ClientMetadata): string | undefined {
  try {
    // The declared constructor takes no arguments.
    Reflect.construct(Client, [metadata]);
    return undefined;
  } catch (error) {
    return faultIn(error);
  }
}

/** The provider validates a client when it is first used. @returns why this one is invalid, in the provider's words */
export async function registrationFault({ Client }: Pick<Provider, "Client">, id: string): Promise<string | undefined> {
  try {
    return (await Client.find(id)) === undefined ? "not registered" : undefined;
  } catch (error) {
    return faultIn(error);
  }
}

/** A client that signs assertions is registered with a secret of ours; its keys are checked separately. */
function withSecret(client: OidcClientConfig): OidcClientConfig {
  const checkedByUs = ["private_key_jwt", "tls_client_auth", "self_signed_tls_client_auth"];
  if (!checkedByUs.includes(client.token_endpoint_auth_method)) return client;
  return { ...client, token_endpoint_auth_method: "client_secret_post", client_secret: "x".repeat(43) };
}

const nothing = async (): Promise<undefined> => undefined;

/** Stores nothing: the clients come from the configuration. */
const noStore: Adapter = {
  upsert: nothing,
  find: nothing,
  findByUserCode: nothing,
  findByUid: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
};

/** Rejects with CONFIG_INVALID if the client with this id is invalid; the error contains the invalid member. */
export type CheckRegistration = (id: string) => Promise<void>;

/** Registers the clients with a provider that serves no requests; its keys exist because client algorithms need them. */
export async function createCheckRegistration(settings: OidcSettings): Promise<CheckRegistration> {
  const signingKeys = await Promise.all(keyKinds.map((kind) => createSigningKey(kind, 0)));
  const clients = settings.oidc.clients.map((client) => withSecret(client));
  const policies = clientPolicies({ ...settings, oidc: { ...settings.oidc, clients } });
  const provider = new Provider(settings.issuer, {
    ...registrationRules(settings),
    adapter: () => noStore,
    jwks: { keys: signingKeys.map(({ jwk }) => jwk) },
    clients: [...policies.values()].map((policy) => clientMetadata(policy, settings)),
  });
  judgeEachAddress(provider);
  return async (id) => {
    const fault = await registrationFault(provider, id);
    if (fault !== undefined) throw new AppError("CONFIG_INVALID", { detail: fault });
  };
}

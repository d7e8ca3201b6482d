import type { OidcClientConfig } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import { type Adapter, type Configuration, Provider } from "oidc-provider";
import { createSigningKey, keyKinds } from "../keys/signing-keys.ts";
import type { OidcSettings } from "../settings/oidc-settings.ts";
import { clientMetadata, clientPolicies } from "./clients.ts";

const signatures = ["RS256", "PS256", "ES256", "EdDSA"] as const;

/** The enabled parts of the protocol, which decide what a client may be registered with. */
export function registrationRules({ oidc }: OidcSettings) {
  return {
    responseTypes: ["code"],
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
    enabledJWA: {
      idTokenSigningAlgValues: signatures,
      clientAuthSigningAlgValues: signatures,
      dPoPSigningAlgValues: signatures,
    },
    clientDefaults: { id_token_signed_response_alg: "RS256" },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      deviceFlow: {
        enabled: true,
        charset: "base-20",
        mask: "*".repeat(oidc.device_flow.user_code_length).replace(/(.{4})(?=.)/g, "$1-"),
      },
      rpInitiatedLogout: { enabled: true },
      backchannelLogout: { enabled: oidc.logout.back_channel_supported },
      claimsParameter: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      dPoP: { enabled: true },
    },
  } as const satisfies Configuration;
}

/** The provider validates a client when it is first used. @returns why this one is invalid, in the provider's words */
export async function registrationFault({ Client }: Pick<Provider, "Client">, id: string): Promise<string | undefined> {
  try {
    return (await Client.find(id)) === undefined ? "not registered" : undefined;
  } catch (error) {
    const detail: unknown =
      error instanceof Error && "error_description" in error ? error.error_description : undefined;
    return typeof detail === "string" ? detail : String(error);
  }
}

/** A client that signs assertions is registered with a secret of ours; its keys are checked separately. */
function withSecret(client: OidcClientConfig): OidcClientConfig {
  if (client.token_endpoint_auth_method !== "private_key_jwt") return client;
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

/** Rejects with CONFIG_INVALID if the client with this id is invalid; the error names the invalid member. */
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
    clients: [...policies.values()].map((policy) => clientMetadata(policy)),
  });
  return async (id) => {
    const fault = await registrationFault(provider, id);
    if (fault !== undefined) throw new AppError("CONFIG_INVALID", { detail: fault });
  };
}

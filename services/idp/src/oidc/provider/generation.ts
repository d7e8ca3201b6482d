import { createPublicKey, type KeyObject, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "@postern/shared/platform/errors";
import type Provider from "oidc-provider";
import type { JWK } from "oidc-provider";
import { metadataFault, registrationFault } from "../clients/client-metadata.ts";
import { type ClientPolicies, clientMetadata, clientPolicies } from "../clients/clients.ts";
import type { ClientFault } from "../registration/register-client.ts";
import { registeredPolicy, withdrawnType, withRegistered } from "../registration/registered-policies.ts";
import type { Registration } from "../registration/registration.ts";
import type { OidcSettings } from "../settings/oidc-settings.ts";
import type { ProviderHooks } from "./hooks.ts";
import { createProvider } from "./provider.ts";

/** A provider with its clients and keys. It never changes; requests in progress finish on the one they started with. */
export interface Generation {
  readonly settings: OidcSettings;
  readonly provider: Provider;
  readonly policies: ClientPolicies;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  readonly publicKeys: ReadonlyMap<string, KeyObject>;
  /** Why the provider would not accept a client that wants to register. */
  readonly faultOf: ClientFault;
}

function publicKeysOf(keys: readonly JWK[]): ReadonlyMap<string, KeyObject> {
  return new Map(
    keys.flatMap((jwk) => {
      const { kid } = jwk;
      const key = Object.fromEntries(
        Object.entries(jwk).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
      );
      return kid === undefined ? [] : [[kid, createPublicKey({ format: "jwk", key })] as const];
    }),
  );
}

async function assertClients(provider: Provider, policies: ClientPolicies): Promise<void> {
  const problems: string[] = [];
  for (const id of policies.keys()) {
    const fault = await registrationFault(provider, id);
    if (fault !== undefined) problems.push(`${id}: ${fault}`);
  }
  if (problems.length > 0)
    throw new AppError("CONFIG_INVALID", { detail: `identity.oidc.clients: ${problems.join("; ")}` });
}

/** The generation that serves requests. */
export function createGenerations(hooks: ProviderHooks) {
  let current: Generation | undefined;
  // Outlives generations: a request may be authenticated before a reload and served after it.
  const innerKey = randomBytes(32);
  return {
    /** @throws AppError REDIS_UNAVAILABLE before the signing keys have been read for the first time */
    current: (): Generation => {
      if (current === undefined)
        throw new AppError("REDIS_UNAVAILABLE", { detail: "the signing keys have not been read yet" });
      return current;
    },
    get isReady(): boolean {
      return current !== undefined;
    },
    /**
     * Creates another generation, and returns the function that replaces the current one by it. `keys` are private, in the order in which
     * they sign.
     *
     * @throws AppError CONFIG_INVALID when a client cannot be registered
     */
    prepare: async (settings: OidcSettings, keys: readonly JWK[]): Promise<() => void> => {
      const ofRegistration = (registration: Registration) => registeredPolicy(registration, settings, innerKey);
      const policies = withRegistered(clientPolicies(settings), hooks.registeredClient, ofRegistration);
      const provider = createProvider({ settings, policies, keys }, hooks);
      await assertClients(provider, policies);
      const callback = provider.callback();
      const generation: Generation = {
        settings,
        provider,
        policies,
        handle: (request, response) => void callback(request, response),
        publicKeys: publicKeysOf(keys),
        faultOf: (registration) => {
          const policy = ofRegistration(registration);
          if (policy === undefined) return "not permitted";
          return withdrawnType(registration, policy) ?? metadataFault(provider, clientMetadata(policy, settings));
        },
      };
      return () => {
        current = generation;
      };
    },
  };
}

export type Generations = ReturnType<typeof createGenerations>;

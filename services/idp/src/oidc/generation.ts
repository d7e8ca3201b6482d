import { createPublicKey, type KeyObject } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "@postern/shared/errors";
import type Provider from "oidc-provider";
import type { JWK } from "oidc-provider";
import { type ClientPolicies, clientPolicies } from "./clients.ts";
import type { OidcSettings } from "./oidc-settings.ts";
import { createProvider, type ProviderHooks } from "./provider.ts";

/** A provider with its clients and keys. It never changes; requests under way finish on the one they began with. */
export interface Generation {
  readonly settings: OidcSettings;
  readonly provider: Provider;
  readonly policies: ClientPolicies;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  readonly publicKeys: ReadonlyMap<string, KeyObject>;
}

/** The generation that serves now. */
export interface Generations {
  /** @throws AppError REDIS_UNAVAILABLE while the signing keys were never read */
  current(): Generation;
  readonly isReady: boolean;
  /**
   * Makes another and puts it in the place of the old one.
   *
   * @throws AppError CONFIG_INVALID when a client cannot be registered; then the old one stays
   */
  replace(inputs: { readonly settings: OidcSettings; readonly keys: readonly JWK[] }): Promise<void>;
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

/** The provider looks at a client when it is first used; we want to know before. */
async function assertClients(provider: Provider, policies: ClientPolicies): Promise<void> {
  const problems: string[] = [];
  for (const id of policies.keys()) {
    try {
      if ((await provider.Client.find(id)) === undefined) problems.push(`${id}: not registered`);
    } catch (error) {
      const detail: unknown =
        error instanceof Error && "error_description" in error ? error.error_description : undefined;
      problems.push(`${id}: ${typeof detail === "string" ? detail : String(error)}`);
    }
  }
  if (problems.length > 0)
    throw new AppError("CONFIG_INVALID", { detail: `identity.oidc.clients: ${problems.join("; ")}` });
}

export function createGenerations(hooks: ProviderHooks): Generations {
  let current: Generation | undefined;
  return {
    current: () => {
      if (current === undefined)
        throw new AppError("REDIS_UNAVAILABLE", { detail: "the signing keys were never read" });
      return current;
    },
    get isReady() {
      return current !== undefined;
    },
    replace: async ({ settings, keys }) => {
      const policies = clientPolicies(settings);
      const provider = createProvider({ settings, policies, keys }, hooks);
      await assertClients(provider, policies);
      const callback = provider.callback();
      current = {
        settings,
        provider,
        policies,
        handle: (request, response) => void callback(request, response),
        publicKeys: publicKeysOf(keys),
      };
    },
  };
}

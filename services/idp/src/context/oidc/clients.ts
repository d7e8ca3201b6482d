import { keySetUrl } from "@postern/shared/domain/tokens";
import { systemClock } from "@postern/shared/platform/time";
import { createAuthenticateAssertion } from "../../oidc/clients/client-assertion.ts";
import { type AuthenticateClient, createClientAuth } from "../../oidc/clients/client-auth.ts";
import { createClientKeySets } from "../../oidc/clients/client-key-sets.ts";
import type { Generations } from "../../oidc/provider/generation.ts";
import type { OidcParts } from "./parts.ts";
import type { StorageFeature } from "./storage.ts";

/** Client authentication at the routes that we answer ourselves. */
export function createClientAuthenticator(
  { logger, initial }: OidcParts,
  { store }: StorageFeature,
  generations: Generations,
): AuthenticateClient {
  const clock = systemClock;
  const policies = () => generations.current().policies;
  const onError = (uri: string, err: unknown): void =>
    logger.warn({ uri, err }, "the key set of an OIDC client cannot be read");
  const keySets = createClientKeySets({ load: keySetUrl, clock, onError });
  return createClientAuth({
    policies,
    byAssertion: createAuthenticateAssertion({ policies, keySets, store, issuer: initial.issuer, clock }),
  });
}

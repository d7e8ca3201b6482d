import { guardedKeySetUrl, keySetUrl } from "@postern/shared/domain/tokens";
import { createCidrSet, isPublicAddress } from "@postern/shared/platform/net";
import { systemClock } from "@postern/shared/platform/time";
import { createAuthenticateAssertion } from "../../oidc/clients/client-assertion.ts";
import { type AuthenticateClient, createClientAuth } from "../../oidc/clients/client-auth.ts";
import { type ClientKeySets, createClientKeySets } from "../../oidc/clients/client-key-sets.ts";
import type { KeySetsOf } from "../../oidc/clients/clients.ts";
import { createReadRequestObject } from "../../oidc/clients/read-request-object.ts";
import type { Generations } from "../../oidc/provider/generation.ts";
import { createRequestObjects, type RequestObjects } from "../../oidc/request-objects/unpack-request.ts";
import type { OidcParts } from "./parts.ts";
import type { RegisteredFeature } from "./registered.ts";
import type { StorageFeature } from "./storage.ts";

export interface ClientsFeature {
  /** Client authentication at the routes that we answer ourselves. */
  readonly authenticate: AuthenticateClient;
  readonly requestObjects: RequestObjects;
}

/** Registered clients choose their URLs themselves: their sets are kept apart, and internal hosts are not asked. */
function createKeySetsOf({ logger, settings }: OidcParts): KeySetsOf {
  const clock = systemClock;
  const onError = (uri: string, err: unknown): void =>
    logger.warn({ uri, err }, "the key set of an OIDC client cannot be read");
  const refuse = (address: string): string | undefined => {
    const { jwks_networks: networks } = settings().oidc.dynamic_registration;
    const isPermitted = isPublicAddress(address) || createCidrSet(networks).has(address);
    return isPermitted ? undefined : `${address} is not public`;
  };
  const configured: ClientKeySets = createClientKeySets({ load: keySetUrl, clock, onError });
  const registered = createClientKeySets({ load: (uri) => guardedKeySetUrl(uri, refuse), clock, onError });
  return ({ isRegistered }) => (isRegistered ? registered : configured);
}

/** What clients sign: assertions and request objects. */
export function createClientsFeature(
  parts: OidcParts,
  { store, registered }: StorageFeature & RegisteredFeature,
  generations: Generations,
): ClientsFeature {
  const clock = systemClock;
  const { issuer } = parts.initial;
  const load = (id: string) => registered.load(id);
  const policies = () => generations.current().policies;
  const keySetsOf = createKeySetsOf(parts);
  const byAssertion = createAuthenticateAssertion({ policies, load, keySetsOf, store, issuer, clock });
  const read = createReadRequestObject({ policies, load, keySetsOf, issuer, clock });
  return {
    authenticate: createClientAuth({ policies, load, byAssertion, keySetsOf }),
    requestObjects: createRequestObjects(read, issuer),
  };
}

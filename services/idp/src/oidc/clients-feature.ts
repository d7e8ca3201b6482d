import {
  guardedDocument,
  guardedKeySetUrl,
  keySetUrl,
  type RefuseAddress,
  type WantedDocument,
} from "@postern/shared/domain/tokens";
import { createCidrSet, isPublicAddress } from "@postern/shared/platform/net";
import { systemClock } from "@postern/shared/platform/time";
import { createAuthenticateAssertion } from "./clients/client-assertion.ts";
import { createClientAuth } from "./clients/client-auth.ts";
import { createClientKeySets } from "./clients/client-key-sets.ts";
import type { ClientPolicies, ClientPolicy, KeySetsOf } from "./clients/clients.ts";
import { createPublishedObjects, createReadPublished } from "./clients/published-objects.ts";
import { createReadRequestObject } from "./clients/read-request-object.ts";
import { createRequestObjects } from "./request-objects/unpack-request.ts";
import type { OidcParts, OidcState } from "./state/context.ts";

/** Registered clients choose their URLs themselves: internal hosts are not asked. */
function createRefuseAddress({ settings }: OidcParts): RefuseAddress {
  return (address) => {
    const { jwks_networks: networks } = settings().oidc.dynamic_registration;
    const isPermitted = isPublicAddress(address) || createCidrSet(networks).has(address);
    return isPermitted ? undefined : `${address} is not public`;
  };
}

const requestObject = {
  what: "request object",
  accept: "application/oauth-authz-req+jwt, application/jwt",
  maxBytes: 32_768,
} as const satisfies WantedDocument;

function createPublishedOf(parts: OidcParts, refuse: RefuseAddress) {
  const onError = (uri: string, err: unknown): void =>
    parts.logger.warn({ uri, err }, "the published request object of an OIDC client cannot be read");
  const withRules = (rule: RefuseAddress) =>
    createPublishedObjects(
      (uri, signal) => guardedDocument(uri, { refuse: rule, wanted: requestObject, signal }),
      systemClock,
      onError,
    );
  const configured = withRules(() => undefined);
  const registered = withRules(refuse);
  return ({ isRegistered }: Pick<ClientPolicy, "isRegistered">) => (isRegistered ? registered : configured);
}

/** The sets of registered clients are kept apart. */
function createKeySetsOf({ logger }: OidcParts, refuse: RefuseAddress): KeySetsOf {
  const onError = (uri: string, err: unknown): void =>
    logger.warn({ uri, err }, "the key set of an OIDC client cannot be read");
  const configured = createClientKeySets(keySetUrl, systemClock, onError);
  const registered = createClientKeySets((uri) => guardedKeySetUrl(uri, refuse), systemClock, onError);
  return ({ isRegistered }) => (isRegistered ? registered : configured);
}

/** What clients sign: assertions and request objects. */
export function createClientsFeature(
  parts: OidcParts,
  { store, registered }: OidcState,
  policies: () => ClientPolicies,
) {
  const { issuer } = parts.initial;
  const findPolicy = async (id: string): Promise<ClientPolicy | undefined> => {
    await registered.load(id);
    return policies().get(id);
  };
  const refuse = createRefuseAddress(parts);
  const keySetsOf = createKeySetsOf(parts, refuse);
  const byAssertion = createAuthenticateAssertion(findPolicy, keySetsOf, store, issuer);
  const read = createReadRequestObject(findPolicy, keySetsOf, issuer, systemClock);
  const readPublished = createReadPublished(findPolicy, createPublishedOf(parts, refuse));
  return {
    findPolicy,
    /** Client authentication at the routes that we answer ourselves. */
    authenticate: createClientAuth(findPolicy, policies, byAssertion, keySetsOf),
    requestObjects: createRequestObjects(read, readPublished, issuer),
  };
}

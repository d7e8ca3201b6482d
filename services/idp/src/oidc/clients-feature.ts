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
import { type ClientKeySets, createClientKeySets } from "./clients/client-key-sets.ts";
import type { ClientPolicies, KeySetsOf } from "./clients/clients.ts";
import {
  createPublishedObjects,
  createReadPublished,
  type PublishedObjects,
  type ReadPublishedDeps,
} from "./clients/published-objects.ts";
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

function createPublishedOf(parts: OidcParts, refuse: RefuseAddress): ReadPublishedDeps["publishedOf"] {
  const onError = (uri: string, err: unknown): void =>
    parts.logger.warn({ uri, err }, "the published request object of an OIDC client cannot be read");
  const withRules = (rule: RefuseAddress): PublishedObjects =>
    createPublishedObjects(
      (uri, signal) => guardedDocument(uri, { refuse: rule, wanted: requestObject, signal }),
      systemClock,
      onError,
    );
  const configured = withRules(() => undefined);
  const registered = withRules(refuse);
  return ({ isRegistered }) => (isRegistered ? registered : configured);
}

/** The sets of registered clients are kept apart. */
function createKeySetsOf({ logger }: OidcParts, refuse: RefuseAddress): KeySetsOf {
  const clock = systemClock;
  const onError = (uri: string, err: unknown): void =>
    logger.warn({ uri, err }, "the key set of an OIDC client cannot be read");
  const configured: ClientKeySets = createClientKeySets(keySetUrl, clock, onError);
  const registered = createClientKeySets((uri) => guardedKeySetUrl(uri, refuse), clock, onError);
  return ({ isRegistered }) => (isRegistered ? registered : configured);
}

/** What clients sign: assertions and request objects. */
export function createClientsFeature(
  parts: OidcParts,
  { store, registered }: OidcState,
  policies: () => ClientPolicies,
) {
  const clock = systemClock;
  const { issuer } = parts.initial;
  const load = (id: string) => registered.load(id);
  const refuse = createRefuseAddress(parts);
  const keySetsOf = createKeySetsOf(parts, refuse);
  const byAssertion = createAuthenticateAssertion({ policies, load, keySetsOf, store, issuer, clock });
  const read = createReadRequestObject({ policies, load, keySetsOf, issuer, clock });
  const readPublished = createReadPublished({ policies, load, publishedOf: createPublishedOf(parts, refuse) });
  return {
    /** Client authentication at the routes that we answer ourselves. */
    authenticate: createClientAuth(load, policies, byAssertion, keySetsOf),
    requestObjects: createRequestObjects(read, readPublished, issuer),
  };
}

import { keysWith } from "./family.ts";

const key = keysWith({ owner: "idp", role: "state" });

const day = 86_400;
/** The longest life that the configuration allows to a refresh token. */
const longestRefreshSeconds = 3650 * day;

/** A record of the provider, under the SHA-256 of its identifier, which for tokens is the token itself. */
export const oidcRecordKey = key("OIDC record", "string", longestRefreshSeconds, {
  // The longest lifetime, that of a refresh token; each record has its own.
  template: "oidc:record:<model>:{<digest>}",
  lost: "tokens, codes, grants and requests in progress are lost; users sign in again",
});

/** A record that may be used once: hash of value, time of use, elected successor. */
export const oidcOnceKey = key("OIDC record used once", "hash", longestRefreshSeconds, {
  template: "oidc:once:<model>:{<digest>}",
  lost: "codes and refresh tokens are lost; users sign in again",
});

/** The records of an account, a client or a grant; a member's score is the time at which it expires. */
export const oidcIndexKey = key("OIDC index", "zset", longestRefreshSeconds, {
  template: "oidc:index:<kind>:{<digest>}",
  lost: "sessions are not listed, and revoking all tokens of an account misses older ones",
});

/** The response to the end of a sign-in or consent, so that a form that is sent twice leads to one code. */
export const oidcOutcomeKey = key("OIDC outcome", "string", 10, {
  template: "oidc:outcome:{<digest>}",
  lost: "a form that was sent twice shows that the page has expired",
});

/** From a user code to the device code that it stands for. */
export const oidcUserCodeKey = key("OIDC user code", "string", day, {
  template: "oidc:user-code:{<digest>}",
  lost: "device sign-ins in progress start over",
});

/** From the digest of an account's name to its sealed subjects, where these are not the name itself. */
export const oidcSubjectsKey = key("OIDC subjects", "hash", longestRefreshSeconds, {
  template: "oidc:subjects:{<digest>}",
  lost: "requests that name an account do not find its tokens until its next sign-in",
});

/** Proofs and assertions already used, so that none is accepted twice. */
export const oidcReplayKey = key("OIDC replay", "string", day, {
  template: "oidc:replay:{<digest>}",
  lost: "a client's proof or assertion of the last minutes is accepted once more",
});

/** The attributes that claims are made of, as returned by the backend at the last sign-in. */
export const oidcAccountKey = key("OIDC account", "string", longestRefreshSeconds, {
  template: "oidc:account:{<digest>}",
  lost: "tokens of users are rejected until they sign in again",
});

/** A user's consent for a client. */
export const oidcConsentKey = key("OIDC consent", "string", longestRefreshSeconds, {
  template: "oidc:consent:{<digest>}",
  lost: "users are asked for consent again",
});

/** Time of a device's last poll, and how long it must wait. */
export const oidcPollKey = key("OIDC poll", "hash", day, {
  template: "oidc:poll:{<digest>}",
  lost: "a device that polls too fast is not slowed down once",
});

/** The generated signing keys, encrypted, all in one value that is replaced as a whole. */
export const oidcSigningKeysKey = key("OIDC signing keys", "string", 400 * day, {
  // Written again whenever the keys are read, so that it lives as long as a provider runs.
  template: "oidc:{signing-keys}",
  lost: "new keys are generated; tokens signed with the old ones are rejected",
});

/** Held by the replica that generates new signing keys. */
export const oidcSigningLeaseKey = key("OIDC signing lease", "string", 30, {
  template: "oidc:{signing-keys}:lease",
  lost: "none: a write of the key set is compared with what was read",
});

/** A logout message to a client, encrypted, with the attempts so far. */
export const oidcDeliveryKey = key("OIDC logout message", "hash", day, {
  template: "oidc:{logout-notices}:<id>",
  lost: "clients are not notified of recent logouts",
});

/** Times at which logout messages are due; a claimed one is due again after its lease. */
export const oidcDeliveriesDueKey = key("OIDC logout messages due", "zset", day, {
  template: "oidc:{logout-notices}",
  lost: "clients are not notified of recent logouts",
});

/** Guesses of user codes, by browser or address. */
export const oidcGuessKey = key("OIDC user code guesses", "string", 600, {
  template: "oidc:guesses:{<digest>}",
  lost: "guesses of user codes are counted from zero",
});

/** A client that registered itself, encrypted. It lives for as long as it is used. */
export const oidcRegisteredKey = key("OIDC registered client", "string", longestRefreshSeconds, {
  template: "oidc:registered:{<digest>}",
  lost: "registered clients register again, and their users sign in again",
});

/** Identifiers of all registered clients, by the time (s) at which the registration ends. */
export const oidcRegisteredIndexKey = key("OIDC registered clients", "zset", longestRefreshSeconds, {
  template: "oidc:{registrations}:all",
  lost: "registered clients are not listed and do not count towards the maximum",
});

/** Identifiers of the clients of dynamic registration, which have a separate maximum. */
export const oidcDynamicIndexKey = key("OIDC dynamically registered clients", "zset", longestRefreshSeconds, {
  template: "oidc:{registrations}:dynamic",
  lost: "registered clients are not listed and do not count towards the maximum",
});

/** Identifiers of the clients that one network registered and no user has signed in with, by the end of the registration (s). */
export const oidcPendingKey = key("OIDC pending registrations", "zset", day, {
  template: "oidc:{registrations}:pending:<digest>",
  lost: "the pending registrations of a network are counted from zero",
});

/** Registration requests of one network within a minute. */
export const oidcRegistrationRateKey = key("OIDC registration requests", "string", 60, {
  template: "oidc:registration-rate:{<digest>}",
  lost: "registration requests are counted from zero",
});

import { keysWith } from "./family.ts";

const key = keysWith({ owner: "idp", role: "state" });

const daySeconds = 86_400;

/** A message that was accepted; a second use is rejected. */
export const samlReplayKey = key("SAML message", "string", 420, {
  // Twice the clock tolerance, plus one minute.
  template: "saml:message:{<message digest>}",
  lost: "a message of the last minutes is accepted again",
});

/** A verified sign-in request that waits for its user; encrypted. */
export const samlRequestKey = key("SAML request", "string", 900, {
  template: "saml:request:{<request digest>}",
  lost: "sign-ins in progress start over at the application",
});

/** A verified logout request that waits for the browser to send its cookies; encrypted. */
export const samlWaitingLogoutKey = key("SAML logout request without a session", "string", 120, {
  template: "saml:leaving:{<request digest>}",
  lost: "the user sees that the logout has expired, and repeats it at the application",
});

/** The service providers that a browser session has signed in to, by digest of the entity ID; encrypted. */
export const samlParticipantsKey = key("SAML participants", "hash", 400 * daySeconds, {
  template: "saml:participants:{<session>}",
  lost: "service providers are not notified of the logout",
});

/** The browser session of a session index that was sent to a service provider; encrypted. */
export const samlIndexKey = key("SAML session index", "string", 400 * daySeconds, {
  template: "saml:index:{<index digest>}",
  lost: "a logout requested by a service provider is answered with an unknown principal",
});

/** A logout transaction through the browser: its plan, encrypted, and the answers so far. */
export const samlLogoutKey = key("SAML logout", "hash", 900, {
  template: "saml:logout:{<logout digest>}",
  lost: "the page of a logout in progress reports that it has expired; the session has already ended",
});

/** A logout request that a service provider has not answered yet; encrypted. Its answer is accepted once. */
export const samlLogoutRequestKey = key("SAML logout request", "string", 900, {
  template: "saml:asked:{<message digest>}",
  lost: "responses of service providers to logouts in progress are rejected",
});

/** A logout message to a service provider over SOAP; encrypted. */
export const samlDeliveryKey = key("SAML logout message", "hash", daySeconds + 3600, {
  // Delivery ends after a day; the rest is for the last attempt.
  template: "saml:{logout-notices}:<id>",
  lost: "service providers are not notified of recent logouts",
});

/** Times at which logout messages are due; a claimed one is due again after its lease. */
export const samlDeliveriesDueKey = key("SAML logout messages due", "zset", daySeconds + 3600, {
  template: "saml:{logout-notices}",
  lost: "service providers are not notified of recent logouts",
});

/** The generated signing keys with their certificates, encrypted, all in one value that is replaced as a whole. */
export const samlSigningKeysKey = key("SAML signing keys", "string", 400 * daySeconds, {
  template: "saml:{signing-keys}",
  lost: "a new key is generated, and service providers must import the metadata again",
});

/** The last good metadata of service providers, by digest of the URL; compressed and encrypted. */
export const samlMetadataKey = key("SAML metadata copy", "string", 30 * daySeconds, {
  template: "saml:metadata:{<URL digest>}",
  lost: "a replica that starts while the source of the metadata is unavailable does not know these service providers",
});

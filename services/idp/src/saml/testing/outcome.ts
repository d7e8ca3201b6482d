import { SamlRefusal } from "../protocol/refusal.ts";
import { readAuthnRequest } from "../xml/authn-request.ts";
import { checkHead } from "../xml/check-head.ts";
import { readLogoutRequest } from "../xml/logout-xml.ts";
import { readRedirectQuery } from "../xml/redirect-query.ts";
import { readEnveloped, readRedirected, type Sender } from "../xml/verify-message.ts";
import { keys, nowMs, sp, sso } from "./forge.ts";
import type { Forgery } from "./tricks.ts";

const strictSender: Sender = { keys: [keys.publicKey], mayOmitSignature: () => false };

const deps = {
  findSender: (entityId: string) => (entityId === sp ? strictSender : undefined),
  names: ["AuthnRequest", "LogoutRequest"],
} as const;

/** What the identity provider reads from a message, as text, or the reason why it rejects the message. */
export function outcomeOf({ binding, message }: Forgery): string {
  try {
    const read =
      binding === "post" ? readEnveloped(message, undefined, deps) : readRedirected(readRedirectQuery(message), deps);
    const head = checkHead(read.root, { destination: sso, nowMs, isSigned: read.isSigned });
    const fields =
      read.name === "AuthnRequest" ? readAuthnRequest(read.root, head) : readLogoutRequest(read.root, head, nowMs);
    return `accepted ${JSON.stringify({ head, fields, relayState: read.relayState ?? null })}`;
  } catch (error) {
    if (error instanceof SamlRefusal) return `refused ${error.reason}`;
    throw error;
  }
}

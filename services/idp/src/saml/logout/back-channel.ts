import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "@postern/shared/time";
import { DOMParser, XMLSerializer } from "@xmldom/xmldom";
import { checkHead } from "../inbound/check-message.ts";
import { messageLimits } from "../inbound/limits.ts";
import { readLogoutResponse } from "../inbound/logout-messages.ts";
import { readEnveloped } from "../inbound/read-message.ts";
import { childOf, isElement, parseXml } from "../inbound/xml-tree.ts";
import { ns, statusCodes } from "../names.ts";
import { logoutRequestOf } from "../outbound/logout-xml.ts";
import { soapEnvelope } from "../outbound/send.ts";
import type { Signer } from "../outbound/sign-xml.ts";
import type { Provider } from "../providers.ts";
import { SamlRefusal } from "../refusal.ts";
import { newId } from "../sso/new-id.ts";
import type { Participant } from "./participants.ts";

export interface BackChannelDeps {
  readonly clock: Clock;
  readonly issuer: () => string;
  readonly timeoutMs: () => number;
  readonly retries: () => number;
}

const pauseMs = 150;

async function boundedText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > messageLimits.documentBytes) throw new SamlRefusal("too_large", "SOAP answer");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** The message of the envelope's body, with the namespaces that it has there. */
function messageOf(envelope: string): string {
  const root = parseXml(envelope);
  const body = isElement(root, ns.soap, "Envelope") ? childOf(root, ns.soap, "Body") : undefined;
  if (body === undefined || body.children.length !== 1) throw new SamlRefusal("structure", "not one message");
  const bodies = new DOMParser().parseFromString(envelope, "text/xml").getElementsByTagNameNS(ns.soap, "Body");
  const message = Array.from(bodies[0]?.childNodes ?? []).find(({ nodeType }) => nodeType === 1);
  if (message === undefined) throw new SamlRefusal("structure", "no message");
  return new XMLSerializer().serializeToString(message);
}

/** Tells one service provider of a logout by SOAP (saml-profiles §4.4.3). @returns whether it said that it is done */
export function createBackChannel({ clock, issuer, timeoutMs, retries }: BackChannelDeps) {
  const once = async (participant: Participant, provider: Provider, signer: Signer): Promise<boolean> => {
    const destination = provider.config.slo_back_channel_url;
    const id = newId();
    const request = logoutRequestOf({ id, issuer: issuer(), destination, nowMs: clock.now() }, participant);
    const response = await fetch(destination, {
      method: "POST",
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs()),
      headers: {
        "content-type": "text/xml; charset=utf-8",
        soapaction: "http://www.oasis-open.org/committees/security",
      },
      body: soapEnvelope(request, signer),
    });
    const text = await boundedText(response);
    if (!response.ok) throw new SamlRefusal("unknown_request", `status ${response.status}`);
    const findSender = (entityId: string) => (entityId === provider.entityId ? provider : undefined);
    const read = readEnveloped(messageOf(text), undefined, { findSender, names: ["LogoutResponse"] });
    const told = readLogoutResponse(read.root);
    // It came as the answer of this very request; an address of ours it need not name.
    checkHead(read.root, {
      destination: read.root.attributes.get("Destination") ?? "",
      nowMs: clock.now(),
      isSigned: false,
    });
    return told.inResponseTo === id && told.status === statusCodes.success;
  };
  return async (participant: Participant, provider: Provider, signer: Signer): Promise<boolean> => {
    for (let attempt = 0; attempt <= retries(); attempt += 1) {
      if (attempt > 0) await delay(pauseMs * attempt);
      const isDone = await once(participant, provider, signer).catch(() => false);
      if (isDone) return true;
    }
    return false;
  };
}

export type TellByBackChannel = ReturnType<typeof createBackChannel>;

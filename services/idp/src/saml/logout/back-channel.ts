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
import type { Signable, Signer } from "../outbound/sign-xml.ts";
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

/** `later`: nobody answered, or not in a way that says anything. */
export type BackChannelAnswer = "done" | "refused" | "later";

export interface BackChannelCall {
  readonly provider: Provider;
  readonly signer: Signer;
  readonly closing: AbortSignal;
}

/** Shorter than the lease of a notice. */
const longestMs = 12_000;
/** RFC 9110: what says "later", although it is in the 400s. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** Tells one service provider of a logout by SOAP (saml-profiles §4.4.3). */
export function createBackChannel({ clock, issuer, timeoutMs, retries }: BackChannelDeps) {
  const ask = (request: Signable, { provider, signer }: BackChannelCall, signal: AbortSignal): Promise<Response> =>
    fetch(provider.config.slo_back_channel_url, {
      method: "POST",
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs())]),
      headers: {
        "content-type": "text/xml; charset=utf-8",
        soapaction: "http://www.oasis-open.org/committees/security",
      },
      body: soapEnvelope(request, signer),
    });
  const judge = (answer: string, provider: Provider, id: string): BackChannelAnswer => {
    const findSender = (entityId: string) => (entityId === provider.entityId ? provider : undefined);
    const read = readEnveloped(messageOf(answer), undefined, { findSender, names: ["LogoutResponse"] });
    // It came as the answer of this very request; an address of ours it need not name.
    const destination = read.root.attributes.get("Destination") ?? "";
    checkHead(read.root, { destination, nowMs: clock.now(), isSigned: false });
    const told = readLogoutResponse(read.root);
    if (told.inResponseTo !== id) throw new SamlRefusal("unknown_request", "answers another request");
    return told.status === statusCodes.success ? "done" : "refused";
  };
  const once = async (
    participant: Participant,
    call: BackChannelCall,
    signal: AbortSignal,
  ): Promise<BackChannelAnswer> => {
    const id = newId();
    const destination = call.provider.config.slo_back_channel_url;
    const head = { id, issuer: issuer(), destination, nowMs: clock.now() };
    const response = await ask(logoutRequestOf(head, participant), call, signal);
    const text = await boundedText(response);
    const { ok, status } = response;
    if (status >= 400 && status < 500 && !passing.has(status)) return "refused";
    if (!ok) throw new SamlRefusal("unknown_request", `status ${status}`);
    return judge(text, call.provider, id);
  };
  return async (participant: Participant, call: BackChannelCall): Promise<BackChannelAnswer> => {
    const signal = AbortSignal.any([call.closing, AbortSignal.timeout(longestMs)]);
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await once(participant, call, signal);
      } catch (error) {
        if (attempt >= retries() || signal.aborted) throw error;
        await delay(pauseMs * (attempt + 1), undefined, { signal });
      }
    }
  };
}

export type TellByBackChannel = ReturnType<typeof createBackChannel>;

import { setTimeout as delay } from "node:timers/promises";
import { abortAfter } from "@postern/shared/platform/concurrency";
import type { Clock } from "@postern/shared/platform/time";
import { DOMParser, XMLSerializer } from "@xmldom/xmldom";
import type { DeliveryTimes } from "../../logout-delivery/delivery-queue.ts";
import { newId, ns, statusCodes } from "../protocol/names.ts";
import { type RefusalReason, SamlRefusal } from "../protocol/refusal.ts";
import type { Provider } from "../providers.ts";
import type { Participant } from "../state/participants-redis.ts";
import { checkHead } from "../xml/check-head.ts";
import { bytesWithin, messageLimits } from "../xml/limits.ts";
import { logoutRequestOf, readLogoutResponse } from "../xml/logout-xml.ts";
import { soapEnvelope } from "../xml/send.ts";
import type { Signable, Signer } from "../xml/sign-xml.ts";
import { readEnveloped } from "../xml/verify-message.ts";
import { childOf, isElement, parseXml } from "../xml/xml-tree.ts";

interface BackChannelDeps {
  readonly clock: Clock;
  readonly issuer: () => string;
  readonly timeoutMs: () => number;
  readonly retries: () => number;
  /** Its response was invalid and will not improve. */
  readonly onRefused: (entityId: string, refusal: SamlRefusal) => void;
}

const pauseMs = 150;

async function boundedText({ body }: Response): Promise<string> {
  const bytes = body === null ? Buffer.alloc(0) : await bytesWithin(body, messageLimits.documentBytes);
  if (bytes.length > messageLimits.documentBytes) throw new SamlRefusal("too_large", "SOAP answer");
  return bytes.toString("utf8");
}

/** The message in the envelope's body, with the namespaces that are in scope there. */
function messageOf(envelope: string): string {
  const root = parseXml(envelope);
  const body = isElement(root, ns.soap, "Envelope") ? childOf(root, ns.soap, "Body") : undefined;
  if (body === undefined || body.children.length !== 1)
    throw new SamlRefusal("structure", "the SOAP body must contain exactly one message");
  const bodies = new DOMParser().parseFromString(envelope, "text/xml").getElementsByTagNameNS(ns.soap, "Body");
  const message = Array.from(bodies[0]?.childNodes ?? []).find(({ nodeType }) => nodeType === 1);
  if (message === undefined) throw new SamlRefusal("structure", "the SOAP body contains no message");
  return new XMLSerializer().serializeToString(message);
}

/** `later`: there was no response, or none that allows a conclusion. */
export type BackChannelAnswer = "done" | "refused" | "later";

interface BackChannelCall {
  readonly provider: Provider;
  readonly signer: Signer;
  readonly closing: AbortSignal;
}

/** Shorter than the lease of a logout message. */
const longestMs = 12_000;
export const soapTimes: DeliveryTimes = { timeoutMs: 5000, firstDelayMs: 1000, longestDelayMs: 60_000 };
/** Statuses from 400 to 499 that ask for a retry (RFC 9110). */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** A response that a retry would not change, because a configuration must be corrected first. */
const permanent: ReadonlySet<RefusalReason> = new Set([
  "algorithm",
  "signature_missing",
  "signature_shape",
  "no_certificate",
  "unknown_issuer",
  "wrong_message",
]);

/** Notifies one service provider of a logout over SOAP (saml-profiles §4.4.3). */
export function createBackChannel({ clock, issuer, timeoutMs, retries, onRefused }: BackChannelDeps) {
  const ask = (request: Signable, { provider, signer }: BackChannelCall, signal: AbortSignal): Promise<Response> =>
    fetch(provider.config.slo_back_channel_url, {
      method: "POST",
      redirect: "error",
      signal: abortAfter(timeoutMs(), signal),
      headers: {
        "content-type": "text/xml; charset=utf-8",
        soapaction: "http://www.oasis-open.org/committees/security",
      },
      body: soapEnvelope(request, signer),
    });
  const judge = (answer: string, provider: Provider, id: string): BackChannelAnswer => {
    const findSender = (entityId: string) => (entityId === provider.entityId ? provider : undefined);
    const read = readEnveloped(messageOf(answer), undefined, { findSender, names: ["LogoutResponse"] });
    // It is the response to this HTTP request, so it need not name our endpoint.
    const destination = read.root.attributes.get("Destination") ?? "";
    checkHead(read.root, { destination, nowMs: clock.now(), isSigned: false });
    const response = readLogoutResponse(read.root);
    if (response.inResponseTo !== id) throw new SamlRefusal("unknown_request", "the response is for another request");
    return response.status === statusCodes.success ? "done" : "refused";
  };
  const judged = (answer: string, provider: Provider, id: string): BackChannelAnswer => {
    try {
      return judge(answer, provider, id);
    } catch (error) {
      if (!(error instanceof SamlRefusal) || !permanent.has(error.reason)) throw error;
      onRefused(provider.entityId, error);
      return "refused";
    }
  };
  const once = async (participant: Participant, call: BackChannelCall, signal: AbortSignal) => {
    const id = newId();
    const destination = call.provider.config.slo_back_channel_url;
    const head = { id, issuer: issuer(), destination, nowMs: clock.now() };
    const response = await ask(logoutRequestOf(head, participant), call, signal);
    const text = await boundedText(response);
    const { ok, status } = response;
    if (status >= 400 && status < 500 && !passing.has(status)) return "refused";
    if (!ok) throw new SamlRefusal("unknown_request", `status ${status}`);
    return judged(text, call.provider, id);
  };
  return async (participant: Participant, call: BackChannelCall): Promise<BackChannelAnswer> => {
    const signal = abortAfter(longestMs, call.closing);
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

export type BackChannel = ReturnType<typeof createBackChannel>;

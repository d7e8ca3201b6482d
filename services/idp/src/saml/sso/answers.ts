import type { Clock } from "@postern/shared/time";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import type { SamlKeys } from "../keys/saml-keys.ts";
import type { Participants } from "../logout/participants.ts";
import { statusCodes } from "../names.ts";
import { releasedAttributes } from "../outbound/attributes.ts";
import { isEncryption } from "../outbound/encrypt-xml.ts";
import { type NameId, nameIdOf } from "../outbound/name-id.ts";
import {
  type AssertionEncryption,
  failureResponse,
  type ResponseHead,
  type Status,
  successResponse,
} from "../outbound/response.ts";
import { type PostedMessage, postedMessage } from "../outbound/send.ts";
import type { Provider } from "../providers.ts";
import type { SamlSettings } from "../saml-settings.ts";
import { newId } from "./new-id.ts";
import type { PendingRequest } from "./pending-requests.ts";

export interface AnswersDeps {
  readonly settings: () => SamlSettings;
  readonly keys: () => Promise<SamlKeys>;
  readonly participants: Participants;
  readonly clock: Clock;
}

/** A response that the browser posts to the service provider. */
export interface PostStep {
  readonly step: "post";
  readonly provider: Provider;
  readonly message: PostedMessage;
  readonly status: string;
}

export interface Asked {
  readonly pending: PendingRequest;
  readonly provider: Provider;
}

export interface SignedIn {
  readonly session: BrowserSessionRecord;
  readonly contextClass: string;
}

/** Makes responses, and notes what the service provider was told. */
export interface Answers {
  fail(asked: Asked, status: Status): Promise<PostStep>;
  succeed(asked: Asked, signedIn: SignedIn): Promise<PostStep>;
}

function encryptionOf({ config, encryptionKey }: Provider): AssertionEncryption | undefined {
  if (encryptionKey === undefined) return undefined;
  return { key: encryptionKey, name: isEncryption(config.encryption) ? config.encryption : "aes256-gcm" };
}

function mailOf(attributes: BrowserSessionRecord["attributes"] = {}): string | undefined {
  return Object.entries(attributes).find(([name]) => /^(?:mail|email)$/i.test(name))?.[1][0];
}

function nameIdFor(
  { nameIdKind: kind = "transient", entityId: audience }: PendingRequest,
  { accountId, account, attributes }: BrowserSessionRecord,
  { known, secret }: { readonly known: NameId | undefined; readonly secret: SamlSettings["nameIdSecret"] },
): NameId | undefined {
  // One session has one name at a service provider, so that its logout finds it.
  if (kind === "transient" && known?.format.endsWith(":transient") === true) return known;
  return nameIdOf(kind, { accountId, account, mail: mailOf(attributes), audience }, secret);
}

function postStep({ pending, provider }: Asked, xml: string, status: string): PostStep {
  const message = postedMessage(pending.acsUrl, "SAMLResponse", xml, pending.relayState);
  return { step: "post", provider, status, message };
}

export function createAnswers({ settings, keys, participants, clock }: AnswersDeps): Answers {
  const headOf = ({ acsUrl, requestId }: PendingRequest): ResponseHead => ({
    id: newId(),
    issuer: settings().entityId,
    destination: acsUrl,
    inResponseTo: requestId,
    nowMs: clock.now(),
  });
  const fail: Answers["fail"] = async (asked, status) => {
    const xml = failureResponse(headOf(asked.pending), status, await keys());
    return postStep(asked, xml, status.detail ?? status.code);
  };
  return {
    fail,
    succeed: async (asked, { session, contextClass }) => {
      const { pending, provider } = asked;
      const { entityId } = provider;
      const { saml, nameIdSecret: secret } = settings();
      const known = await participants.find(session.uid, entityId);
      const nameId = nameIdFor(pending, session, { known: known?.nameId, secret });
      if (nameId === undefined) {
        return fail(asked, { code: statusCodes.responder, detail: statusCodes.invalidNameIdPolicy });
      }
      const signer = await keys();
      const sessionIndex = known?.sessionIndex ?? newId();
      const sessionEndMs = session.exp * 1000;
      await participants.add(session.uid, { entityId, nameId, sessionIndex }, sessionEndMs);
      const head = headOf(pending);
      const { account, attributes = {} } = session;
      const content = {
        id: newId(),
        audience: entityId,
        nameId,
        contextClass,
        sessionIndex,
        authnInstantMs: session.loginTs * 1000,
        sessionEndMs: Math.min(sessionEndMs, head.nowMs + saml.default_expire_time),
        attributes: releasedAttributes(provider.config, { account, attributes }),
      };
      const xml = successResponse(head, content, { signer, encryption: encryptionOf(provider) });
      return postStep(asked, xml, statusCodes.success);
    },
  };
}

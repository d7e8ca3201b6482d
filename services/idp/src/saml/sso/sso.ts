import type { Clock } from "@postern/shared/time";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import { readAuthnRequest } from "../inbound/authn-request.ts";
import { checkHead } from "../inbound/check-message.ts";
import type { ReadMessage } from "../inbound/read-message.ts";
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
import type { Provider, Providers } from "../providers.ts";
import { SamlRefusal } from "../refusal.ts";
import type { SamlSettings } from "../saml-settings.ts";
import { acceptRequest } from "./accept-request.ts";
import { judgeSession } from "./judge-session.ts";
import { newId } from "./new-id.ts";
import type { PendingRequest, PendingRequests, ReplayGuard } from "./pending-requests.ts";

export interface SsoDeps {
  readonly settings: () => SamlSettings;
  readonly providers: () => Providers;
  readonly keys: () => Promise<SamlKeys>;
  readonly requests: PendingRequests;
  readonly replay: ReplayGuard;
  readonly participants: Participants;
  readonly clock: Clock;
}

export type SsoStep =
  | { readonly step: "post"; readonly provider: Provider; readonly message: PostedMessage; readonly status: string }
  /** The user signs in first; the request waits under this id. */
  | { readonly step: "sign_in"; readonly provider: Provider; readonly id: string; readonly pending: PendingRequest }
  /** The request is over: answered, or too old. */
  | { readonly step: "expired" };

export interface Sso {
  /** Verifies what came and keeps it. @returns the id under which it waits. @throws SamlRefusal */
  receive(read: ReadMessage<Provider>): Promise<string>;
  /** Answers the request, or says that its user must sign in. */
  proceed(id: string, session: BrowserSessionRecord | undefined): Promise<SsoStep>;
  /** Its user has signed in. @returns false when the request is over */
  signedIn(id: string, sessionUid: string): Promise<boolean>;
}

function encryptionOf({ config, encryptionKey }: Provider): AssertionEncryption | undefined {
  if (encryptionKey === undefined) return undefined;
  return { key: encryptionKey, name: isEncryption(config.encryption) ? config.encryption : "aes256-gcm" };
}

function mailOf(attributes: BrowserSessionRecord["attributes"] = {}): string | undefined {
  return Object.entries(attributes).find(([name]) => /^(?:mail|email)$/i.test(name))?.[1][0];
}

export function createSso(deps: SsoDeps): Sso {
  const { settings, providers, keys, requests, replay, participants, clock } = deps;
  const headOf = ({ acsUrl, requestId }: PendingRequest): ResponseHead => ({
    id: newId(),
    issuer: settings().entityId,
    destination: acsUrl,
    inResponseTo: requestId,
    nowMs: clock.now(),
  });
  const posted = (pending: PendingRequest, provider: Provider, xml: string, status: string): SsoStep => ({
    step: "post",
    provider,
    status,
    message: postedMessage(pending.acsUrl, "SAMLResponse", xml, pending.relayState),
  });
  /** Answers the request once. */
  const answer = async (id: string, make: (pending: PendingRequest) => Promise<SsoStep>): Promise<SsoStep> => {
    const pending = await requests.take(id);
    return pending === undefined ? { step: "expired" } : make(pending);
  };
  const fail = (id: string, provider: Provider, status: Status): Promise<SsoStep> =>
    answer(id, async (pending) =>
      posted(pending, provider, failureResponse(headOf(pending), status, await keys()), status.detail ?? status.code),
    );
  /** Under an id of its own: each id names one flow of the pages. */
  const askUser = async (id: string, provider: Provider): Promise<SsoStep> => {
    const pending = await requests.take(id);
    if (pending === undefined) return { step: "expired" };
    return { step: "sign_in", provider, pending, id: await requests.save({ ...pending, hasAsked: true }) };
  };
  const nameIdFor = (
    { nameIdKind: kind = "transient", entityId: audience }: PendingRequest,
    { accountId, account, attributes }: BrowserSessionRecord,
    known: NameId | undefined,
  ) => {
    if (kind === "transient" && known?.format.endsWith(":transient") === true) return known;
    const subject = { accountId, account, mail: mailOf(attributes), audience };
    return nameIdOf(kind, subject, settings().nameIdSecret);
  };
  const succeed = async (
    pending: PendingRequest,
    provider: Provider,
    { session, contextClass }: { readonly session: BrowserSessionRecord; readonly contextClass: string },
  ): Promise<SsoStep> => {
    const signer = await keys();
    const { saml } = settings();
    const known = await participants.find(session.uid, provider.entityId);
    const nameId = nameIdFor(pending, session, known?.nameId);
    if (nameId === undefined) {
      const status = { code: statusCodes.responder, detail: statusCodes.invalidNameIdPolicy };
      return posted(pending, provider, failureResponse(headOf(pending), status, signer), status.detail);
    }
    const sessionIndex = known?.sessionIndex ?? newId();
    const sessionEndMs = session.exp * 1000;
    await participants.add(session.uid, { entityId: provider.entityId, nameId, sessionIndex }, sessionEndMs);
    const head = headOf(pending);
    const { account, attributes = {} } = session;
    const content = {
      id: newId(),
      audience: provider.entityId,
      nameId,
      contextClass,
      sessionIndex,
      authnInstantMs: session.loginTs * 1000,
      sessionEndMs: Math.min(sessionEndMs, head.nowMs + saml.default_expire_time),
      attributes: releasedAttributes(provider.config, { account, attributes }),
    };
    const xml = successResponse(head, content, { signer, encryption: encryptionOf(provider) });
    return posted(pending, provider, xml, statusCodes.success);
  };

  return {
    receive: async ({ root, sender: provider, isSigned, relayState }) => {
      const nowMs = clock.now();
      const { addresses, saml } = settings();
      const head = checkHead(root, { destination: addresses.sso, nowMs, isSigned });
      const request = readAuthnRequest(root, head);
      const pending = acceptRequest(request, {
        provider,
        relayState,
        general: saml.name_id_format,
      });
      if (!(await replay.isFirst(provider.entityId, head.id))) throw new SamlRefusal("replayed", "came before");
      return requests.save(pending);
    },
    proceed: async (id, session) => {
      const pending = await requests.find(id);
      const provider = pending === undefined ? undefined : providers().find(pending.entityId);
      if (pending === undefined || provider === undefined) return { step: "expired" };
      if (pending.nameIdKind === undefined) {
        return fail(id, provider, { code: statusCodes.requester, detail: statusCodes.invalidNameIdPolicy });
      }
      const judged = judgeSession(session, pending, provider);
      switch (judged.judgement) {
        case "no_passive":
          return fail(id, provider, { code: statusCodes.responder, detail: statusCodes.noPassive });
        case "no_context":
          return fail(id, provider, { code: statusCodes.responder, detail: statusCodes.noAuthnContext });
        case "sign_in":
          return askUser(id, provider);
        case "fits":
          if (session === undefined) return { step: "expired" };
          return answer(id, (taken) => succeed(taken, provider, { session, contextClass: judged.contextClass }));
      }
    },
    signedIn: (id, sessionUid) => requests.noteSignIn(id, sessionUid),
  };
}

import type { RecordTimes } from "../../oidc/storage/record-times.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import { newId, statusCodes } from "../protocol/names.ts";
import type { Provider } from "../providers.ts";
import type { SamlCore } from "../saml-core.ts";
import type { SamlSettings } from "../saml-settings.ts";
import { releasedAttributes } from "../xml/attributes.ts";
import { type AssertionEncryption, isEncryption } from "../xml/encrypt-xml.ts";
import { type NameId, nameIdOf } from "../xml/name-id.ts";
import { failureResponse, type ResponseHead, type Status, successResponse } from "../xml/response.ts";
import { postedMessage } from "../xml/send.ts";
import type { Judgement } from "./judge-session.ts";
import type { PendingRequest } from "./pending-requests-redis.ts";

export interface ResolvedRequest {
  readonly pending: PendingRequest;
  readonly provider: Provider;
}

function encryptionOf({ config, encryptionKey, keyTransport: transport }: Provider): AssertionEncryption | undefined {
  if (encryptionKey === undefined) return undefined;
  return { key: encryptionKey, name: isEncryption(config.encryption) ? config.encryption : "aes256-gcm", transport };
}

function mailOf(attributes: BrowserSessionRecord["attributes"] = {}): string | undefined {
  const addresses = Object.entries(attributes).filter(([name]) => /^(?:mail|email)$/i.test(name));
  // An empty name would be the same for all users without an address.
  return addresses.flatMap(([, values]) => values).find((value) => value !== "");
}

function nameIdFor(
  { nameIdKind: kind = "transient", entityId: audience }: PendingRequest,
  { accountId, lacksSubject, account, attributes }: BrowserSessionRecord,
  { known, secret }: { readonly known: NameId | undefined; readonly secret: SamlSettings["nameIdSecret"] },
): NameId | undefined {
  // A session has one name at each service provider, so that a logout finds it.
  if (kind === "transient" && known?.format.endsWith(":transient") === true) return known;
  // The account's name may be reassigned, so no persistent name is derived from it.
  if (kind === "persistent" && lacksSubject === true) return undefined;
  return nameIdOf(kind, { accountId, account, mail: mailOf(attributes), audience }, secret);
}

function refusedName({ nameIdKind: kind = "transient", entityId }: PendingRequest, account: string) {
  const reason =
    kind === "persistent"
      ? "the account lacks the mapped unique_user_id_field"
      : "the account has no e-mail address for its name";
  return { account, client: entityId, nameId: kind, reason };
}

/** A response that the browser posts to the service provider. */
function postStep({ pending, provider }: ResolvedRequest, xml: string, status: string) {
  const message = postedMessage(pending.acsUrl, "SAMLResponse", xml, pending.relayState);
  return { step: "post", provider, status, message } as const;
}

export type PostStep = ReturnType<typeof postStep>;

/**
 * Creates responses and records which name and session index the service provider received.
 * @param onUsed called when a user has signed in to a service provider.
 */
export function createAnswers(
  { settings, keys, participants, clock, logger, domains }: SamlCore,
  times: RecordTimes,
  onUsed: (entityId: string) => void,
) {
  const headOf = ({ acsUrl, requestId }: PendingRequest): ResponseHead => ({
    id: newId(),
    issuer: settings().entityId,
    destination: acsUrl,
    inResponseTo: requestId,
    nowMs: clock.now(),
  });
  const fail = async (request: ResolvedRequest, status: Status): Promise<PostStep> => {
    const xml = failureResponse(headOf(request.pending), status, await keys());
    return postStep(request, xml, status.detail ?? status.code);
  };
  return {
    fail,
    succeed: async (
      request: ResolvedRequest,
      signedIn: Extract<Judgement, { judgement: "fits" }>,
    ): Promise<PostStep> => {
      const { session, contextClass } = signedIn;
      const { pending, provider } = request;
      const { entityId } = provider;
      const { saml, nameIdSecret: secret } = settings();
      const known = await participants.find(session.uid, entityId);
      const nameId = nameIdFor(pending, session, { known: known?.nameId, secret });
      if (nameId === undefined) {
        logger.error(refusedName(pending, session.account), "no SAML name ID for the account");
        return fail(request, { code: statusCodes.responder, detail: statusCodes.invalidNameIdPolicy });
      }
      const signer = await keys();
      const sessionIndex = known?.sessionIndex ?? newId();
      await participants.add(session.uid, { entityId, nameId, sessionIndex }, session.exp * 1000);
      const head = headOf(pending);
      const { account, attributes = {}, groups, groupDns } = session;
      const user = await domains.withAttributes({ account, attributes, groups, groupDns });
      const content = {
        id: newId(),
        audience: entityId,
        nameId,
        contextClass,
        sessionIndex,
        authnInstantMs: times.ownSeconds(session.loginTs) * 1000,
        sessionEndMs: Math.min(times.ownSeconds(session.exp) * 1000, head.nowMs + saml.default_expire_time),
        attributes: releasedAttributes(provider.config, user),
      };
      onUsed(entityId);
      const xml = successResponse(head, content, { signer, encryption: encryptionOf(provider) });
      return postStep(request, xml, statusCodes.success);
    },
  };
}

export type Answers = ReturnType<typeof createAnswers>;

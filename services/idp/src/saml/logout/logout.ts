import type { Clock } from "@postern/shared/time";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import type { SessionStore } from "../../sessions/session-store.ts";
import { checkHead } from "../inbound/check-message.ts";
import { type LogoutRequest, readLogoutRequest } from "../inbound/logout-messages.ts";
import type { ReadMessage } from "../inbound/read-message.ts";
import type { SamlKeys } from "../keys/saml-keys.ts";
import { statusCodes } from "../names.ts";
import { logoutResponseOf } from "../outbound/logout-xml.ts";
import type { Status } from "../outbound/response.ts";
import { type PostedMessage, postedMessage, redirectAddress } from "../outbound/send.ts";
import { signedElement } from "../outbound/sign-xml.ts";
import { xmlString } from "../outbound/xml-writer.ts";
import type { Provider, Providers } from "../providers.ts";
import { SamlRefusal } from "../refusal.ts";
import type { SamlSettings } from "../saml-settings.ts";
import { newId } from "../sso/new-id.ts";
import type { ReplayGuard } from "../sso/pending-requests.ts";
import type { TellByBackChannel } from "./back-channel.ts";
import type { Participant, Participants } from "./participants.ts";

export interface LogoutDeps {
  readonly settings: () => SamlSettings;
  readonly providers: () => Providers;
  readonly keys: () => Promise<SamlKeys>;
  readonly replay: ReplayGuard;
  readonly participants: Participants;
  readonly sessions: Pick<SessionStore, "findByUid" | "end">;
  readonly tell: TellByBackChannel;
  /** The session has ended: what other protocols gave out for it ends too. */
  readonly onEnded: (session: BrowserSessionRecord) => Promise<void>;
  readonly clock: Clock;
}

export type Binding = "redirect" | "post";

export type LogoutStep =
  | { readonly step: "post"; readonly provider: Provider; readonly message: PostedMessage }
  | { readonly step: "redirect"; readonly location: string }
  /** The service provider has no address for an answer. */
  | { readonly step: "done" };

export interface LogoutOutcome {
  readonly next: LogoutStep;
  readonly provider: Provider;
  readonly status: Status;
  /** Entity IDs of service providers that still have the user signed in. */
  readonly untold: readonly string[];
}

/** Who was told of a logout, and who was not. */
export interface Told {
  readonly told: readonly string[];
  readonly untold: readonly string[];
}

export interface Logout {
  /** A LogoutRequest of a service provider. @throws SamlRefusal */
  answer(
    read: ReadMessage<Provider>,
    context: { readonly binding: Binding; readonly session: BrowserSessionRecord | undefined },
  ): Promise<LogoutOutcome>;
  /** A session has ended here: its service providers are told by the back channel. */
  sessionEnded(session: Pick<BrowserSessionRecord, "uid">): Promise<Told>;
}

export function createLogout(deps: LogoutDeps): Logout {
  const { settings, providers, keys, replay, participants, sessions, tell, onEnded, clock } = deps;

  const tellOne = async (participant: Participant): Promise<boolean> => {
    const provider = providers().find(participant.entityId);
    const { slo } = settings().saml;
    if (provider === undefined || !slo.back_channel_enabled) return false;
    return provider.config.slo_back_channel_url !== "" && tell(participant, provider, await keys());
  };
  const tellAll = async (listed: readonly Participant[]): Promise<Told> => {
    const limit = settings().saml.slo.max_participants;
    const results = await Promise.all(
      listed.map(async (participant, index) => ({
        entityId: participant.entityId,
        isTold: index < limit && (await tellOne(participant)),
      })),
    );
    return {
      told: results.filter(({ isTold }) => isTold).map(({ entityId }) => entityId),
      untold: results.filter(({ isTold }) => !isTold).map(({ entityId }) => entityId),
    };
  };

  /** The session that the request is about: one that this service provider was given, under this very name. */
  const matched = async (
    { nameId, sessionIndexes }: LogoutRequest,
    entityId: string,
    current: BrowserSessionRecord | undefined,
  ): Promise<readonly string[]> => {
    const named = await Promise.all(sessionIndexes.map((index) => participants.sessionOf(entityId, index)));
    const candidates = sessionIndexes.length > 0 ? named : [current?.uid];
    const checked = await Promise.all(
      candidates.map(async (uid) => {
        const participant = uid === undefined ? undefined : await participants.find(uid, entityId);
        const isNamed = sessionIndexes.length === 0 || sessionIndexes.includes(participant?.sessionIndex ?? "");
        return uid !== undefined && isNamed && participant?.nameId.value === nameId ? [uid] : [];
      }),
    );
    return [...new Set(checked.flat())];
  };

  const endOne = async (uid: string, entityId: string): Promise<readonly string[]> => {
    const session = await sessions.findByUid(uid);
    if (session !== undefined && (await sessions.end(uid))) await onEnded(session);
    const others = (await participants.takeAll(uid)).filter((other) => other.entityId !== entityId);
    return (await tellAll(others)).untold;
  };

  const respond = async (
    provider: Provider,
    answer: { readonly inResponseTo: string; readonly relayState: string | undefined; readonly binding: Binding },
    status: Status,
  ): Promise<LogoutStep> => {
    const destination = provider.config.slo_url;
    if (destination === "") return { step: "done" };
    const signer = await keys();
    const { inResponseTo, relayState, binding } = answer;
    const head = { id: newId(), issuer: settings().entityId, destination, nowMs: clock.now() };
    const signable = logoutResponseOf(head, inResponseTo, status);
    if (binding === "redirect") {
      const wanted = { location: destination, parameter: "SAMLResponse", relayState, signer } as const;
      return { step: "redirect", location: redirectAddress(signable, wanted) };
    }
    const xml = xmlString(signedElement(signable, signer));
    return { step: "post", provider, message: postedMessage(destination, "SAMLResponse", xml, relayState) };
  };

  return {
    answer: async ({ root, sender: provider, isSigned, relayState }, { binding, session }) => {
      const nowMs = clock.now();
      const head = checkHead(root, { destination: settings().addresses.slo, nowMs, isSigned });
      const request = readLogoutRequest(root, head, nowMs);
      const { entityId } = provider;
      if (!(await replay.isFirst(entityId, head.id))) throw new SamlRefusal("replayed", "came before");
      const uids = await matched(request, entityId, session);
      const untold = (await Promise.all(uids.map((uid) => endOne(uid, entityId)))).flat();
      const status: Status =
        uids.length === 0
          ? { code: statusCodes.requester, detail: statusCodes.unknownPrincipal }
          : { code: statusCodes.success, detail: untold.length === 0 ? undefined : statusCodes.partialLogout };
      const next = await respond(provider, { inResponseTo: head.id, relayState, binding }, status);
      return { next, provider, status, untold };
    },
    sessionEnded: async ({ uid }) => tellAll(await participants.takeAll(uid)),
  };
}

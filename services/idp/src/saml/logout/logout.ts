import type { Clock } from "@postern/shared/time";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import type { SessionStore } from "../../sessions/session-store.ts";
import { checkHead } from "../inbound/check-message.ts";
import { readLogoutRequest } from "../inbound/logout-messages.ts";
import type { ReadMessage } from "../inbound/read-message.ts";
import type { SamlKeys } from "../keys/saml-keys.ts";
import { statusCodes } from "../names.ts";
import type { Status } from "../outbound/response.ts";
import type { Provider } from "../providers.ts";
import { SamlRefusal } from "../refusal.ts";
import type { SamlSettings } from "../saml-settings.ts";
import type { ReplayGuard } from "../sso/pending-requests.ts";
import { matchSessions } from "./match-sessions.ts";
import type { Participants } from "./participants.ts";
import { type Binding, type LogoutStep, respond } from "./respond.ts";
import type { TellOthers, Told } from "./tell-others.ts";

export interface LogoutDeps {
  readonly settings: () => SamlSettings;
  readonly keys: () => Promise<SamlKeys>;
  readonly replay: ReplayGuard;
  readonly participants: Participants;
  readonly sessions: Pick<SessionStore, "findByUid" | "end">;
  readonly tellOthers: TellOthers;
  /** The session has ended: what other protocols gave out for it ends too. */
  readonly onEnded: (session: BrowserSessionRecord) => Promise<void>;
  readonly clock: Clock;
}

export interface LogoutOutcome {
  readonly next: LogoutStep;
  readonly provider: Provider;
  readonly status: Status;
  /** Entity IDs of service providers that still have the user signed in. */
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
  const { settings, replay, participants, sessions, tellOthers, onEnded, clock } = deps;

  const endOne = async (uid: string, entityId: string): Promise<readonly string[]> => {
    const session = await sessions.findByUid(uid);
    if (session !== undefined && (await sessions.end(uid))) await onEnded(session);
    const others = (await participants.takeAll(uid)).filter((other) => other.entityId !== entityId);
    return (await tellOthers(others)).untold;
  };

  return {
    answer: async ({ root, sender: provider, isSigned, relayState }, { binding, session }) => {
      const nowMs = clock.now();
      const head = checkHead(root, { destination: settings().addresses.slo, nowMs, isSigned });
      const request = readLogoutRequest(root, head, nowMs);
      const { entityId } = provider;
      if (!(await replay.isFirst(entityId, head.id))) throw new SamlRefusal("replayed", "came before");
      const uids = await matchSessions(participants, request, { entityId, current: session });
      const untold = (await Promise.all(uids.map((uid) => endOne(uid, entityId)))).flat();
      const status: Status =
        uids.length === 0
          ? { code: statusCodes.requester, detail: statusCodes.unknownPrincipal }
          : { code: statusCodes.success, detail: untold.length === 0 ? undefined : statusCodes.partialLogout };
      const next = await respond(deps, provider, { inResponseTo: head.id, relayState, binding, status });
      return { next, provider, status, untold };
    },
    sessionEnded: async ({ uid }) => tellOthers(await participants.takeAll(uid)),
  };
}

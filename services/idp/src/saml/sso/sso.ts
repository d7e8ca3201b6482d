import type { Clock } from "@postern/shared/platform/time";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import { statusCodes } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import type { Provider, Providers } from "../providers.ts";
import type { SamlSettings } from "../saml-settings.ts";
import type { ReplayGuard } from "../state/replay-guard-redis.ts";
import { readAuthnRequest } from "../xml/authn-request.ts";
import { checkHead } from "../xml/check-message.ts";
import type { ReadMessage } from "../xml/read-message.ts";
import { acceptRequest } from "./accept-request.ts";
import type { Answers, PostStep, ResolvedRequest } from "./answers.ts";
import { judgeSession } from "./judge-session.ts";
import type { PendingRequest, PendingRequests } from "./pending-requests-redis.ts";

export interface SsoDeps {
  readonly settings: () => SamlSettings;
  readonly providers: () => Providers;
  readonly requests: PendingRequests;
  readonly replay: ReplayGuard;
  readonly answers: Answers;
  readonly clock: Clock;
  /** The clock that all replicas share, for stored times. */
  readonly sharedClock: Clock;
}

export type SsoStep =
  | PostStep
  /** The user must sign in first; the request is stored under this id. */
  | { readonly step: "sign_in"; readonly provider: Provider; readonly id: string; readonly pending: PendingRequest }
  /** The request was answered or has expired. */
  | { readonly step: "expired" };

export interface Sso {
  /** Verifies a request and stores it. @returns its id. @throws SamlRefusal */
  receive(read: ReadMessage<Provider>): Promise<string>;
  /** Answers the request, or returns that the user must sign in. */
  proceed(id: string, session: BrowserSessionRecord | undefined): Promise<SsoStep>;
  /** Records that the user has signed in. @returns false if the request has expired */
  signedIn(id: string, sessionUid: string): Promise<boolean>;
  /** Records that the user has cancelled the sign-in. @returns false if the request has expired */
  cancelled(id: string): Promise<boolean>;
}

export function createSso({ settings, providers, requests, replay, answers, clock, sharedClock }: SsoDeps): Sso {
  /** Continues the request once, even if called concurrently. */
  const once = async (id: string, step: (pending: PendingRequest) => Promise<SsoStep>): Promise<SsoStep> => {
    const pending = await requests.take(id);
    return pending === undefined ? { step: "expired" } : step(pending);
  };
  const fail = (id: string, provider: Provider, detail: string, code: string = statusCodes.responder) =>
    once(id, (pending) => answers.fail({ pending, provider }, { code, detail }));

  const proceedWith = async (
    id: string,
    { pending: request, provider }: ResolvedRequest,
    session: BrowserSessionRecord | undefined,
  ): Promise<SsoStep> => {
    const judged = judgeSession(session, request, {
      demands: provider.demands,
      nowSeconds: Math.floor(sharedClock.now() / 1000),
    });
    switch (judged.judgement) {
      case "no_passive":
        return fail(id, provider, statusCodes.noPassive);
      case "no_context":
        return fail(id, provider, statusCodes.noAuthnContext);
      case "sign_in":
        return once(id, async (pending) => {
          // A new id, because each id identifies one flow of the pages.
          const next = await requests.save({ ...pending, hasAsked: true });
          return { step: "sign_in", provider, pending, id: next };
        });
      case "fits":
        return once(id, (pending) => answers.succeed({ pending, provider }, judged));
    }
  };

  return {
    receive: async ({ root, sender: provider, isSigned, relayState }) => {
      const { addresses, saml } = settings();
      const head = checkHead(root, { destination: addresses.sso, nowMs: clock.now(), isSigned });
      const request = readAuthnRequest(root, head);
      const pending = acceptRequest(request, { provider, relayState, general: saml.name_id_format });
      if (!(await replay.isFirst(provider.entityId, head.id)))
        throw new SamlRefusal("replayed", "the message was received before");
      return requests.save(pending);
    },
    proceed: async (id, session) => {
      const pending = await requests.find(id);
      const provider = pending === undefined ? undefined : providers().find(pending.entityId);
      if (pending === undefined || provider === undefined) return { step: "expired" };
      if (pending.nameIdKind === undefined) {
        return fail(id, provider, statusCodes.invalidNameIdPolicy, statusCodes.requester);
      }
      if (pending.isCancelled === true) return fail(id, provider, statusCodes.authnFailed);
      return proceedWith(id, { pending, provider }, session);
    },
    signedIn: (id, sessionUid) => requests.noteSignIn(id, sessionUid),
    cancelled: (id) => requests.noteCancel(id),
  };
}

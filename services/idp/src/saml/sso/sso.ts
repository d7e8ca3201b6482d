import type { Clock } from "@postern/shared/time";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import { readAuthnRequest } from "../inbound/authn-request.ts";
import { checkHead } from "../inbound/check-message.ts";
import type { ReadMessage } from "../inbound/read-message.ts";
import { statusCodes } from "../names.ts";
import type { Provider, Providers } from "../providers.ts";
import { SamlRefusal } from "../refusal.ts";
import type { SamlSettings } from "../saml-settings.ts";
import { acceptRequest } from "./accept-request.ts";
import type { Answers, Asked, PostStep } from "./answers.ts";
import { judgeSession } from "./judge-session.ts";
import type { PendingRequest, PendingRequests, ReplayGuard } from "./pending-requests.ts";

export interface SsoDeps {
  readonly settings: () => SamlSettings;
  readonly providers: () => Providers;
  readonly requests: PendingRequests;
  readonly replay: ReplayGuard;
  readonly answers: Answers;
  readonly clock: Clock;
}

export type SsoStep =
  | PostStep
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

export function createSso({ settings, providers, requests, replay, answers, clock }: SsoDeps): Sso {
  /** Goes on with the request once, whoever else asks at the same time. */
  const once = async (id: string, step: (pending: PendingRequest) => Promise<SsoStep>): Promise<SsoStep> => {
    const pending = await requests.take(id);
    return pending === undefined ? { step: "expired" } : step(pending);
  };
  const fail = (id: string, provider: Provider, detail: string, code: string = statusCodes.responder) =>
    once(id, (pending) => answers.fail({ pending, provider }, { code, detail }));

  const proceedWith = async (
    id: string,
    { pending: asked, provider }: Asked,
    session: BrowserSessionRecord | undefined,
  ): Promise<SsoStep> => {
    const judged = judgeSession(session, asked, {
      demands: provider.demands,
      nowSeconds: Math.floor(clock.now() / 1000),
    });
    switch (judged.judgement) {
      case "no_passive":
        return fail(id, provider, statusCodes.noPassive);
      case "no_context":
        return fail(id, provider, statusCodes.noAuthnContext);
      case "sign_in":
        return once(id, async (pending) => {
          // Under an id of its own: each id names one flow of the pages.
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
      if (!(await replay.isFirst(provider.entityId, head.id))) throw new SamlRefusal("replayed", "came before");
      return requests.save(pending);
    },
    proceed: async (id, session) => {
      const pending = await requests.find(id);
      const provider = pending === undefined ? undefined : providers().find(pending.entityId);
      if (pending === undefined || provider === undefined) return { step: "expired" };
      if (pending.nameIdKind === undefined) {
        return fail(id, provider, statusCodes.invalidNameIdPolicy, statusCodes.requester);
      }
      return proceedWith(id, { pending, provider }, session);
    },
    signedIn: (id, sessionUid) => requests.noteSignIn(id, sessionUid),
  };
}

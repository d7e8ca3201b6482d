import { pathTo } from "@postern/shared/contracts";
import { homePage } from "../pages/templates/account.ts";
import type { FactorState } from "../second-factors/factor-store-nats.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session.ts";
import type { VisitHandler } from "../visit/page-routes.ts";
import { callContext, sendTo, sessionOf, showPage, type Visit } from "../visit/visit.ts";
import type { AccountContext } from "./context.ts";
import { here, homePath } from "./member.ts";
import { passkeySignals } from "./passkey-pages.ts";

async function linksOf({ mailSetup }: AccountContext, visit: Visit, session: BrowserSessionRecord) {
  const mail = await mailSetup?.accountOf(session);
  return {
    totp: here(visit, pathTo("totpRegistrationPage")),
    passkeys: here(visit, pathTo("webauthnDevicesPage")),
    recovery: here(visit, pathTo("recoveryCodesPage")),
    appPasswords: here(visit, pathTo("appPasswordsPage")),
    sessions: here(visit, pathTo("sessionsPage")),
    signIns: here(visit, pathTo("recentSignInsPage")),
    applications: here(visit, pathTo("applicationsPage")),
    suspiciousSignIns: here(visit, pathTo("suspiciousSignInsPage")),
    mailClients: mail === undefined ? undefined : here(visit, pathTo("mailClientsPage")),
  };
}

function countsOf(state: FactorState | undefined) {
  return {
    hasTotp: state?.hasTotp ?? false,
    passkeys: state?.webauthnCredentials.length ?? 0,
    recoveryCodesLeft: state?.recoveryCodesLeft ?? 0,
    appPasswords: state?.appPasswords ?? 0,
  };
}

/** `GET /mfa/register/home`: the account and its factors; without a session, starts a self-service flow. */
export function getHome(context: AccountContext): VisitHandler {
  const { pages, starts, self, suspiciousSignIns, decisionTimeoutMs } = context;
  return async (visit) => {
    const { request, reply, language } = visit;
    const session = await sessionOf(context, visit);
    if (session === undefined) {
      const flow = { returnTo: here(visit, homePath), languageTag: language?.tag };
      return sendTo(reply, await starts.startSelfService(request.raw, reply.raw, flow));
    }
    const { account, displayName = account } = session;
    const state = await self.read({ account, context: callContext(visit, decisionTimeoutMs()) });
    const view = {
      account: displayName,
      isBare: state === undefined,
      ...countsOf(state),
      links: await linksOf(context, visit, session),
      suspiciousSignIns: (await suspiciousSignIns.list(account)).length,
      signOut: pathTo("logout"),
      signals: state && (await passkeySignals(context, session, state, false)),
    };
    return showPage(pages, visit, { page: homePage, view });
  };
}

import { pathTo } from "@postern/shared/contracts";
import type { FactorState } from "../../mfa/factor-store-nats.ts";
import { homePage } from "../../pages/templates/account.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { callContext, lookOf, sendShown, sendTo, type Visit } from "../visit.ts";
import { here, homePath, sessionOf } from "./member.ts";

function linksOf({ mailSetup }: LoginDeps, visit: Visit, session: BrowserSessionRecord) {
  return {
    totp: here(visit, pathTo("totpRegistrationPage")),
    passkeys: here(visit, pathTo("webauthnDevicesPage")),
    recovery: here(visit, pathTo("recoveryCodesPage")),
    appPasswords: here(visit, pathTo("appPasswordsPage")),
    sessions: here(visit, pathTo("sessionsPage")),
    applications: here(visit, pathTo("applicationsPage")),
    suspiciousSignIns: here(visit, pathTo("suspiciousSignInsPage")),
    mailClients: mailSetup?.accountOf(session) === undefined ? undefined : here(visit, pathTo("mailClientsPage")),
  };
}

/** JSON for the user's password manager. */
async function signalsOf(
  { ceremonies }: LoginDeps,
  { uid: owner, displayName }: BrowserSessionRecord,
  state: FactorState | undefined,
): Promise<string | undefined> {
  if (state === undefined) return undefined;
  const { account, webauthnCredentials: credentials } = state;
  const signals = await ceremonies.signals({ owner, account, displayName, credentials, wasRemoved: false });
  return signals === undefined ? undefined : JSON.stringify(signals);
}

/** `GET /mfa/register/home`: the account and its factors; without a session, starts a self-service flow. */
export function getHome(deps: LoginDeps): VisitHandler {
  const { pages, starts, self, suspiciousSignIns, decisionTimeoutMs } = deps;
  return async (visit) => {
    const { request, reply, language } = visit;
    const session = await sessionOf(deps, visit);
    if (session === undefined) {
      const flow = { returnTo: here(visit, homePath), languageTag: language?.tag };
      return sendTo(reply, await starts.startSelfService(request.raw, reply.raw, flow));
    }
    const context = callContext(visit, decisionTimeoutMs());
    const state = await self.read({ account: session.account, context });
    const view = {
      account: session.displayName ?? session.account,
      isBare: state === undefined,
      hasTotp: state?.hasTotp ?? false,
      passkeys: state?.webauthnCredentials.length ?? 0,
      recoveryCodesLeft: state?.recoveryCodesLeft ?? 0,
      appPasswords: state?.appPasswords ?? 0,
      links: linksOf(deps, visit, session),
      suspiciousSignIns: (await suspiciousSignIns.list(session.account)).length,
      signOut: pathTo("logout"),
      signals: await signalsOf(deps, session, state),
    };
    return sendShown(reply, pages.show(homePage, view, lookOf(pages, visit)));
  };
}

import { type OperationId, operation } from "@postern/shared/contracts";
import { type PageRoute, servePage, type VisitHandler } from "../visit/page-routes.ts";
import { sendProblem, sendTo, sessionOf } from "../visit/visit.ts";
import { getAppPasswordRemoval, getAppPasswords, postAppPassword, removeAppPassword } from "./app-password-pages.ts";
import { disconnectApplication, getConnectedApplications } from "./application-pages.ts";
import type { AccountContext } from "./context.ts";
import { getCancel, getContinue } from "./enrolment.ts";
import { getHome } from "./home.ts";
import { getMailClient, getMailClients, postMailClient } from "./mail-client-pages.ts";
import { here, homePath } from "./member.ts";
import {
  beginPasskeyEnrolment,
  finishPasskeyEnrolment,
  getPasskeyEnrolment,
  getPasskeyRemoval,
  getPasskeys,
  removePasskeys,
  renamePasskey,
} from "./passkey-pages.ts";
import { getRecentSignIns } from "./recent-sign-in-pages.ts";
import { draftRecoveryCodes, getRecoveryCodes, saveRecoveryCodes } from "./recovery-code-pages.ts";
import { forgetDevices, getSessions, removeSessions } from "./session-pages.ts";
import { confirmSignIn, getSuspiciousSignIns, secureAccount } from "./suspicious-sign-in-pages.ts";
import { getTotp, getTotpRemoval, postTotp, removeTotp } from "./totp-pages.ts";

type Removal<FormId> = FormId extends `${infer Id extends OperationId}ByForm` ? Id : never;
/** Operations that delete, each also by a form for browsers without script. */
type RemovalId = Removal<OperationId>;

/** A form that deletes posts `_method=DELETE`. */
function byForm({ pages }: AccountContext, remove: VisitHandler): VisitHandler {
  return async (visit) =>
    visit.form.one("_method") === "DELETE" ? remove(visit) : sendProblem(pages, visit, "request", { href: homePath });
}

/** What a user whose domain requires a second factor needs to set one up. */
const enrolmentIds: readonly OperationId[] = [
  "continueRegistration",
  "cancelRegistration",
  "totpRegistrationPage",
  "registerTotp",
  "recoveryCodesPage",
  "saveRecoveryCodes",
  "saveDraftedRecoveryCodes",
  "draftRecoveryCodes",
  "webauthnRegistrationPage",
  "beginWebauthnRegistration",
];
const enrolment = new Set<PageRoute["operation"]>(enrolmentIds.map((id) => operation(id)));

/** Sends a user whose domain requires a second factor to a sign-in that asks for it, or for setting one up. */
function whenProved(context: AccountContext, handler: VisitHandler): VisitHandler {
  const { domains, pages, starts } = context;
  return async (visit) => {
    const session = domains.areUsed ? await sessionOf(context, visit) : undefined;
    const isProved = session === undefined || (session.mfaTs ?? session.lostPhoneTs) !== undefined;
    if (isProved || !(await domains.requiresFactor(session.account))) return handler(visit);
    if (visit.request.method !== "GET") return sendProblem(pages, visit, "unauthenticated", { href: homePath });
    const { request, reply, language } = visit;
    const flow = { returnTo: here(visit, homePath), languageTag: language?.tag, accountId: session.account };
    return sendTo(reply, await starts.startSelfService(request.raw, reply.raw, flow));
  };
}

/** Self-service pages for second factors, with app passwords, sessions and applications. */
export function accountRoutes(context: AccountContext): readonly PageRoute[] {
  return pagesOf(context).map((route) =>
    enrolment.has(route.operation) ? route : { ...route, handler: whenProved(context, route.handler) },
  );
}

function pagesOf(context: AccountContext): readonly PageRoute[] {
  const removal = (id: RemovalId, remove: VisitHandler): readonly PageRoute[] => [
    servePage(id, remove),
    servePage(`${id}ByForm`, byForm(context, remove)),
  ];
  return [
    servePage("registrationHome", getHome(context)),
    servePage("continueRegistration", getContinue(context)),
    servePage("cancelRegistration", getCancel(context)),
    servePage("totpRegistrationPage", getTotp(context)),
    servePage("registerTotp", postTotp(context)),
    servePage("totpRemovalPage", getTotpRemoval(context)),
    ...removal("deleteTotp", removeTotp(context)),
    servePage("recoveryCodesPage", getRecoveryCodes(context)),
    servePage("saveRecoveryCodes", saveRecoveryCodes(context)),
    servePage("saveDraftedRecoveryCodes", saveRecoveryCodes(context)),
    servePage("draftRecoveryCodes", draftRecoveryCodes(context)),
    servePage("webauthnRegistrationPage", getPasskeyEnrolment(context)),
    servePage("beginWebauthnRegistration", beginPasskeyEnrolment(context)),
    servePage("webauthnDevicesPage", getPasskeys(context)),
    servePage("webauthnRemovalPage", getPasskeyRemoval(context)),
    servePage("webauthnDeviceRemovalPage", getPasskeyRemoval(context)),
    ...removal("deleteWebauthn", removePasskeys(context)),
    ...removal("deleteWebauthnDevice", removePasskeys(context)),
    servePage("renameWebauthnDevice", renamePasskey(context)),
    servePage("appPasswordsPage", getAppPasswords(context)),
    servePage("createAppPassword", postAppPassword(context)),
    servePage("appPasswordRemovalPage", getAppPasswordRemoval(context)),
    ...removal("deleteAppPassword", removeAppPassword(context)),
    servePage("mailClientsPage", getMailClients(context)),
    servePage("mailClientPage", getMailClient(context)),
    servePage("createMailClientPassword", postMailClient(context)),
    servePage("sessionsPage", getSessions(context)),
    ...removal("endOtherSessions", removeSessions(context)),
    ...removal("endSessionOfUser", removeSessions(context)),
    ...removal("forgetDevices", forgetDevices(context)),
    ...removal("forgetDevice", forgetDevices(context)),
    servePage("recentSignInsPage", getRecentSignIns(context)),
    servePage("suspiciousSignInsPage", getSuspiciousSignIns(context)),
    servePage("confirmSuspiciousSignIn", confirmSignIn(context)),
    servePage("secureAccount", secureAccount(context)),
    servePage("applicationsPage", getConnectedApplications(context)),
    ...removal("disconnectApplication", disconnectApplication(context)),
  ];
}

/** Called by the pages' script, with JSON. */
export function accountScriptRoutes(context: AccountContext): readonly PageRoute[] {
  return [servePage("finishWebauthnRegistration", finishPasskeyEnrolment(context))];
}

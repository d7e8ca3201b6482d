import { type OperationId, operation, pathTo } from "@postern/shared/contracts";
import { type PageRoute, servePage, type VisitHandler } from "../visit/page-routes.ts";
import { sendProblem, sendTo, sessionOf } from "../visit/visit.ts";
import { getAppPasswordRemoval, getAppPasswords, postAppPassword, removeAppPassword } from "./app-password-pages.ts";
import { disconnectApplication, getConnectedApplications } from "./application-pages.ts";
import type { AccountContext } from "./context.ts";
import { getCancel, getContinue } from "./enrolment.ts";
import { getHome } from "./home.ts";
import { getMailClient, getMailClients, postMailClient } from "./mail-client-pages.ts";
import { type FreshHandler, forFresh, forMember, here, homePath, type MemberHandler } from "./member.ts";
import {
  beginPasskeyEnrolment,
  finishPasskeyEnrolment,
  getPasskeyEnrolment,
  getPasskeyRemoval,
  getPasskeys,
  removePasskeys,
  renamePasskey,
} from "./passkey-pages.ts";
import { draftRecoveryCodes, getRecoveryCodes, saveRecoveryCodes } from "./recovery-code-pages.ts";
import { forgetDevices, getSessions, removeSessions } from "./session-pages.ts";
import { confirmSignIn, getRecentSignIns, getSuspiciousSignIns, secureAccount } from "./suspicious-sign-in-pages.ts";
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
  const [totp, codes, passkeys] = [
    pathTo("totpRegistrationPage"),
    pathTo("recoveryCodesPage"),
    pathTo("webauthnDevicesPage"),
  ];
  const [enrol, appPasswords] = [pathTo("webauthnRegistrationPage"), pathTo("appPasswordsPage")];
  const member = (handler: MemberHandler): VisitHandler => forMember(context, handler);
  const fresh = (page: string, handler: FreshHandler): VisitHandler => forFresh(context, page, handler);
  const removal = (id: RemovalId, remove: VisitHandler): readonly PageRoute[] => [
    servePage(id, remove),
    servePage(`${id}ByForm`, byForm(context, remove)),
  ];
  return [
    servePage("registrationHome", getHome(context)),
    servePage("continueRegistration", member(getContinue)),
    servePage("cancelRegistration", member(getCancel)),
    servePage("totpRegistrationPage", fresh(totp, getTotp)),
    servePage("registerTotp", fresh(totp, postTotp)),
    servePage("totpRemovalPage", fresh(totp, getTotpRemoval)),
    ...removal("deleteTotp", fresh(totp, removeTotp)),
    servePage("recoveryCodesPage", fresh(codes, getRecoveryCodes)),
    servePage("saveRecoveryCodes", fresh(codes, saveRecoveryCodes)),
    servePage("saveDraftedRecoveryCodes", fresh(codes, saveRecoveryCodes)),
    servePage("draftRecoveryCodes", fresh(codes, draftRecoveryCodes)),
    servePage("webauthnRegistrationPage", fresh(enrol, getPasskeyEnrolment)),
    servePage("beginWebauthnRegistration", fresh(enrol, beginPasskeyEnrolment)),
    servePage("webauthnDevicesPage", fresh(passkeys, getPasskeys)),
    servePage("webauthnRemovalPage", fresh(passkeys, getPasskeyRemoval)),
    servePage("webauthnDeviceRemovalPage", fresh(passkeys, getPasskeyRemoval)),
    ...removal("deleteWebauthn", fresh(passkeys, removePasskeys)),
    ...removal("deleteWebauthnDevice", fresh(passkeys, removePasskeys)),
    servePage("renameWebauthnDevice", fresh(passkeys, renamePasskey)),
    servePage("appPasswordsPage", fresh(appPasswords, getAppPasswords)),
    servePage("createAppPassword", fresh(appPasswords, postAppPassword)),
    servePage("appPasswordRemovalPage", fresh(appPasswords, getAppPasswordRemoval)),
    ...removal("deleteAppPassword", fresh(appPasswords, removeAppPassword)),
    servePage("mailClientsPage", member(getMailClients)),
    servePage("mailClientPage", member(getMailClient)),
    servePage("createMailClientPassword", member(postMailClient)),
    servePage("sessionsPage", member(getSessions)),
    ...removal("endOtherSessions", member(removeSessions)),
    ...removal("endSessionOfUser", member(removeSessions)),
    ...removal("forgetDevices", member(forgetDevices)),
    ...removal("forgetDevice", member(forgetDevices)),
    servePage("recentSignInsPage", member(getRecentSignIns)),
    servePage("suspiciousSignInsPage", member(getSuspiciousSignIns)),
    servePage("confirmSuspiciousSignIn", member(confirmSignIn)),
    servePage("secureAccount", member(secureAccount)),
    servePage("applicationsPage", member(getConnectedApplications)),
    ...removal("disconnectApplication", member(disconnectApplication)),
  ];
}

/** Called by the pages' script, with JSON. */
export function accountScriptRoutes(context: AccountContext): readonly PageRoute[] {
  const handler = forFresh(context, pathTo("webauthnRegistrationPage"), finishPasskeyEnrolment);
  return [servePage("finishWebauthnRegistration", handler)];
}

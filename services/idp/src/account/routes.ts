import type { OperationId } from "@postern/shared/contracts";
import { type PageRoute, servePage, type VisitHandler } from "../visit/page-routes.ts";
import { sendProblem } from "../visit/visit.ts";
import { getAppPasswordRemoval, getAppPasswords, postAppPassword, removeAppPassword } from "./app-password-pages.ts";
import { disconnectApplication, getConnectedApplications } from "./application-pages.ts";
import type { AccountContext } from "./context.ts";
import { getCancel, getContinue } from "./enrolment.ts";
import { getHome } from "./home.ts";
import { getMailClient, getMailClients, postMailClient } from "./mail-client-pages.ts";
import { homePath } from "./member.ts";
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

/** Self-service pages for second factors, with app passwords, sessions and applications. */
export function accountRoutes(context: AccountContext): readonly PageRoute[] {
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

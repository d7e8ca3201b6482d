import type { OperationId } from "@postern/shared/contracts";
import type { LoginDeps } from "../login/deps.ts";
import { type PageRoute, servePage, type VisitHandler } from "../page-routes.ts";
import { deleteAppPassword } from "./delete-app-password.ts";
import { deleteApplication } from "./delete-application.ts";
import { deleteSessions } from "./delete-sessions.ts";
import { deleteTotp } from "./delete-totp.ts";
import { deletePasskeys } from "./delete-webauthn.ts";
import { getAppPasswordRemoval } from "./get-app-password-remove.ts";
import { getAppPasswords } from "./get-app-passwords.ts";
import { getApplications } from "./get-applications.ts";
import { getCancel } from "./get-cancel.ts";
import { getContinue } from "./get-continue.ts";
import { getMailClient } from "./get-mail-client.ts";
import { getMailClients } from "./get-mail-clients.ts";
import { getRecovery } from "./get-recovery-register.ts";
import { getSessions } from "./get-sessions.ts";
import { getSuspiciousSignIns } from "./get-suspicious-sign-ins.ts";
import { getTotp } from "./get-totp-register.ts";
import { getTotpRemoval } from "./get-totp-remove.ts";
import { getPasskeys } from "./get-webauthn-devices.ts";
import { getPasskeyEnrolment } from "./get-webauthn-register.ts";
import { beginPasskeyEnrolment } from "./get-webauthn-register-begin.ts";
import { getPasskeyRemoval } from "./get-webauthn-remove.ts";
import { byMethod } from "./member.ts";
import { postAppPassword } from "./post-app-passwords.ts";
import { postConfirmSignIn } from "./post-confirm-sign-in.ts";
import { postMailClient } from "./post-mail-client.ts";
import { postGenerate } from "./post-recovery-generate.ts";
import { postSave } from "./post-recovery-register.ts";
import { postSecureAccount } from "./post-secure-account.ts";
import { postTotp } from "./post-totp-register.ts";
import { renamePasskey } from "./post-webauthn-device-name.ts";
import { finishPasskeyEnrolment } from "./post-webauthn-register-finish.ts";

type Removal<FormId> = FormId extends `${infer Id extends OperationId}ByForm` ? Id : never;
/** Operations that delete, each also by a form for browsers without script. */
type RemovalId = Removal<OperationId>;

/** Self-service pages for second factors, with app passwords, sessions and applications. */
export function selfServiceRoutes(deps: LoginDeps): readonly PageRoute[] {
  const removal = (id: RemovalId, remove: VisitHandler): readonly PageRoute[] => [
    servePage(id, remove),
    servePage(`${id}ByForm`, byMethod(deps, remove)),
  ];
  return [
    servePage("continueRegistration", getContinue(deps)),
    servePage("cancelRegistration", getCancel(deps)),
    servePage("totpRegistrationPage", getTotp(deps)),
    servePage("registerTotp", postTotp(deps)),
    servePage("totpRemovalPage", getTotpRemoval(deps)),
    ...removal("deleteTotp", deleteTotp(deps)),
    servePage("recoveryCodesPage", getRecovery(deps)),
    servePage("saveRecoveryCodes", postSave(deps)),
    servePage("saveDraftedRecoveryCodes", postSave(deps)),
    servePage("draftRecoveryCodes", postGenerate(deps)),
    servePage("webauthnRegistrationPage", getPasskeyEnrolment(deps)),
    servePage("beginWebauthnRegistration", beginPasskeyEnrolment(deps)),
    servePage("webauthnDevicesPage", getPasskeys(deps)),
    servePage("webauthnRemovalPage", getPasskeyRemoval(deps)),
    servePage("webauthnDeviceRemovalPage", getPasskeyRemoval(deps)),
    ...removal("deleteWebauthn", deletePasskeys(deps)),
    ...removal("deleteWebauthnDevice", deletePasskeys(deps)),
    servePage("renameWebauthnDevice", renamePasskey(deps)),
    servePage("appPasswordsPage", getAppPasswords(deps)),
    servePage("createAppPassword", postAppPassword(deps)),
    servePage("appPasswordRemovalPage", getAppPasswordRemoval(deps)),
    ...removal("deleteAppPassword", deleteAppPassword(deps)),
    servePage("mailClientsPage", getMailClients(deps)),
    servePage("mailClientPage", getMailClient(deps)),
    servePage("createMailClientPassword", postMailClient(deps)),
    servePage("sessionsPage", getSessions(deps)),
    ...removal("endOtherSessions", deleteSessions(deps)),
    ...removal("endSessionOfUser", deleteSessions(deps)),
    servePage("suspiciousSignInsPage", getSuspiciousSignIns(deps)),
    servePage("confirmSuspiciousSignIn", postConfirmSignIn(deps)),
    servePage("secureAccount", postSecureAccount(deps)),
    servePage("applicationsPage", getApplications(deps)),
    ...removal("disconnectApplication", deleteApplication(deps)),
  ];
}

/** Called by the pages' script, with JSON. */
export function selfServiceScriptRoutes(deps: LoginDeps): readonly PageRoute[] {
  return [servePage("finishWebauthnRegistration", finishPasskeyEnrolment(deps))];
}

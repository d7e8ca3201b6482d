import type { OperationId } from "@postern/shared/contracts";
import type { LoginDeps } from "../login/deps.ts";
import { type PageRoute, servePage, type VisitHandler } from "../page-routes.ts";
import { deleteAppPassword, getAppPasswords, postAppPassword } from "./app-passwords.ts";
import { deleteApplication, getApplications } from "./applications.ts";
import { getCancel, getContinue } from "./continue.ts";
import { byMethod } from "./member.ts";
import {
  beginPasskeyEnrolment,
  deletePasskeys,
  finishPasskeyEnrolment,
  getPasskeyEnrolment,
  getPasskeys,
  renamePasskey,
} from "./passkeys.ts";
import { getRecovery, postGenerate, postSave } from "./recovery.ts";
import { getPasskeyRemoval, getTotpRemoval } from "./removal.ts";
import { deleteSessions, getSessions } from "./sessions.ts";
import { deleteTotp, getTotp, postTotp } from "./totp.ts";

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
    ...removal("deleteAppPassword", deleteAppPassword(deps)),
    servePage("sessionsPage", getSessions(deps)),
    ...removal("endOtherSessions", deleteSessions(deps)),
    ...removal("endSessionOfUser", deleteSessions(deps)),
    servePage("applicationsPage", getApplications(deps)),
    ...removal("disconnectApplication", deleteApplication(deps)),
  ];
}

/** Called by the pages' script, with JSON. */
export function selfServiceScriptRoutes(deps: LoginDeps): readonly PageRoute[] {
  return [servePage("finishWebauthnRegistration", finishPasskeyEnrolment(deps))];
}

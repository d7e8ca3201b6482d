import type { LoginDeps } from "../login/deps.ts";
import type { PageRoute, VisitHandler } from "../page-routes.ts";
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
import { deleteSessions, getSessions } from "./sessions.ts";
import { deleteTotp, getTotp, postTotp } from "./totp.ts";

/** Self-service (contract, "MFA self-service"), and beside it app passwords, sessions and applications. */
export function selfServiceRoutes(deps: LoginDeps): readonly PageRoute[] {
  const removal = (path: string, remove: VisitHandler, post?: VisitHandler): readonly PageRoute[] => [
    { method: "DELETE", path, handler: remove },
    { method: "POST", path, handler: byMethod(deps, remove, post) },
  ];
  return [
    { method: "GET", path: "/mfa/register/continue", handler: getContinue(deps) },
    { method: "GET", path: "/mfa/register/cancel", handler: getCancel(deps) },
    { method: "GET", path: "/mfa/totp/register", handler: getTotp(deps) },
    { method: "POST", path: "/mfa/totp/register", handler: postTotp(deps) },
    ...removal("/mfa/totp", deleteTotp(deps)),
    { method: "GET", path: "/mfa/recovery/register", handler: getRecovery(deps) },
    { method: "POST", path: "/mfa/recovery/register", handler: postSave(deps) },
    { method: "POST", path: "/mfa/recovery/register/save", handler: postSave(deps) },
    { method: "POST", path: "/mfa/recovery/generate", handler: postGenerate(deps) },
    { method: "GET", path: "/mfa/webauthn/register", handler: getPasskeyEnrolment(deps) },
    { method: "GET", path: "/mfa/webauthn/register/begin", handler: beginPasskeyEnrolment(deps) },
    { method: "GET", path: "/mfa/webauthn/devices", handler: getPasskeys(deps) },
    ...removal("/mfa/webauthn", deletePasskeys(deps)),
    ...removal("/mfa/webauthn/device/:id", deletePasskeys(deps)),
    { method: "POST", path: "/mfa/webauthn/device/:id/name", handler: renamePasskey(deps) },
    { method: "GET", path: "/mfa/app-passwords", handler: getAppPasswords(deps) },
    { method: "POST", path: "/mfa/app-passwords", handler: postAppPassword(deps) },
    ...removal("/mfa/app-password/:id", deleteAppPassword(deps)),
    { method: "GET", path: "/mfa/sessions", handler: getSessions(deps) },
    ...removal("/mfa/sessions", deleteSessions(deps)),
    ...removal("/mfa/session/:id", deleteSessions(deps)),
    { method: "GET", path: "/mfa/applications", handler: getApplications(deps) },
    ...removal("/mfa/application/:id", deleteApplication(deps)),
  ];
}

/** Called by our script, with JSON. */
export function selfServiceScriptRoutes(deps: LoginDeps): readonly PageRoute[] {
  return [{ method: "POST", path: "/mfa/webauthn/register/finish", handler: finishPasskeyEnrolment(deps) }];
}

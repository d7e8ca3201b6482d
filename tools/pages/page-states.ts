import type { Look, Page } from "../../services/idp/src/pages/look.ts";
import type { Pages, Shown } from "../../services/idp/src/pages/pages.ts";
import { appPasswordsPage, newAppPasswordPage } from "../../services/idp/src/pages/templates/access.ts";
import { homePage } from "../../services/idp/src/pages/templates/account.ts";
import { consentPage } from "../../services/idp/src/pages/templates/consent.ts";
import { deviceCodePage, deviceConsentPage } from "../../services/idp/src/pages/templates/device.ts";
import { recoveryEnrolmentPage, totpEnrolmentPage } from "../../services/idp/src/pages/templates/enrolment.ts";
import { recoveryPage, totpPage } from "../../services/idp/src/pages/templates/factors.ts";
import { loginPage } from "../../services/idp/src/pages/templates/login.ts";
import {
  clientKinds,
  mailClientPage,
  mailClientReadyPage,
} from "../../services/idp/src/pages/templates/mail-clients.ts";
import { errorPage, type Problem } from "../../services/idp/src/pages/templates/messages.ts";
import { removalPage } from "../../services/idp/src/pages/templates/removal.ts";
import { passkeysPage, webauthnEnrolmentPage } from "../../services/idp/src/pages/templates/webauthn.ts";

type Show = (pages: Pages, look: Look) => Shown;

function stateOf<View extends object>(page: Page<View>, change: Partial<View>): Show {
  return (pages, look) => pages.show(page, { ...page.sample, ...change }, look);
}

/** After something was removed. */
function withDone(look: Look): Look {
  return { ...look, notices: [look.text("done.totp_removed"), look.text("done.codes_gone")] };
}

const problem = "This is not right. Check it and try again.";
/** A data URL, so that no request is needed. */
const logo =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='96' height='48'%3E%3Crect width='96' height='48' rx='8' fill='teal'/%3E%3C/svg%3E";

const reference = "5f0c7a52-8a0e";
const cancel = "#cancel";
const profile = "https://login.example.test/mail/profile/2xYdJmC4cKzv0sVwQ5Tq8nL1bR7hF3aEoU6iGpWkXj0";
const problems: readonly Problem[] = ["failed", "unavailable", "request", "not_found", "unauthenticated", "required"];

/** Pages with an error, a required factor or an empty list, for which there are no samples. */
export const pageStates: ReadonlyMap<string, Show> = new Map([
  ["login-failed", stateOf(loginPage, { problem, reference, username: "alice@example.test", fresh: true })],
  ["totp-failed", stateOf(totpPage, { problem, reference })],
  ["recovery-failed", stateOf(recoveryPage, { problem, other: undefined })],
  ["device-failed", stateOf(deviceCodePage, { problem, userCode: "BDWP-HQPK" })],
  ["totp-register-demanded", stateOf(totpEnrolmentPage, { problem, cancel, remove: undefined })],
  ["consent-logo", stateOf(consentPage, { logo })],
  ["device-consent-logo", stateOf(deviceConsentPage, { logo })],
  ["recovery-register-bare", stateOf(recoveryEnrolmentPage, { canMake: false, left: 0 })],
  ["recovery-register-offered", stateOf(recoveryEnrolmentPage, { left: 0 })],
  ["remove-needed", stateOf(removalPage, { what: "totp", needed: { applications: ["Example Webmail"] } })],
  ["remove-all", stateOf(removalPage, { what: "passkeys", names: ["Laptop", "Phone"] })],
  [
    "remove-app-password",
    stateOf(removalPage, { what: "app_password", names: ["Thunderbird at home"], isLast: false, codes: 0 }),
  ],
  ["webauthn-register-demanded", stateOf(webauthnEnrolmentPage, { cancel })],
  ["webauthn-devices-empty", stateOf(passkeysPage, { passkeys: [] })],
  ["app-password-bare", stateOf(newAppPasswordPage, { servers: [] })],
  ["app-passwords-full", stateOf(appPasswordsPage, { problem })],
  ...clientKinds.map((kind): [string, Show] => [`mail-client-${kind}`, stateOf(mailClientPage, { kind, problem })]),
  ["mail-client-bare", stateOf(mailClientPage, { kind: "outlook", hasAppPasswords: false })],
  ["mail-client-profile", stateOf(mailClientReadyPage, { kind: "apple", profile, code: undefined })],
  ["mail-client-password", stateOf(mailClientReadyPage, { kind: "other", code: undefined })],
  ["home-without-mail-clients", stateOf(homePage, { links: { ...homePage.sample.links, mailClients: undefined } })],
  ["home-bare", stateOf(homePage, { isBare: true })],
  ["home-few-codes", stateOf(homePage, { recoveryCodesLeft: 2 })],
  ["home-no-codes", (pages, look) => stateOf(homePage, { recoveryCodesLeft: 0 })(pages, withDone(look))],
  [
    "error-expired-application",
    stateOf(errorPage, { application: { name: "Example Webmail", href: "https://webmail.example.test/" } }),
  ],
  ...problems.map((name): [string, Show] => [`error-${name}`, stateOf(errorPage, { problem: name, href: "#on" })]),
]);

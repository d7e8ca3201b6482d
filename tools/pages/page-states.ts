import type { Look, Page } from "../../services/idp/src/pages/look.ts";
import type { Pages, Shown } from "../../services/idp/src/pages/pages.ts";
import { appPasswordsPage } from "../../services/idp/src/pages/templates/access.ts";
import { homePage } from "../../services/idp/src/pages/templates/account.ts";
import { deviceCodePage } from "../../services/idp/src/pages/templates/device.ts";
import { recoveryEnrolmentPage, totpEnrolmentPage } from "../../services/idp/src/pages/templates/enrolment.ts";
import { recoveryPage, totpPage } from "../../services/idp/src/pages/templates/factors.ts";
import { loginPage } from "../../services/idp/src/pages/templates/login.ts";
import { errorPage, type Problem } from "../../services/idp/src/pages/templates/notices.ts";
import { passkeysPage, webauthnEnrolmentPage } from "../../services/idp/src/pages/templates/webauthn.ts";

type Show = (pages: Pages, look: Look) => Shown;

function stateOf<View extends object>(page: Page<View>, change: Partial<View>): Show {
  return (pages, look) => pages.show(page, { ...page.sample, ...change }, look);
}

const problem = "This is not right. Check it and try again.";
const cancel = "#cancel";
const problems: readonly Problem[] = ["failed", "unavailable", "request", "not_found", "unauthenticated", "required"];

/** How pages look when something went wrong, a factor is demanded, or there is nothing to list: no sample shows that. */
export const pageStates: ReadonlyMap<string, Show> = new Map([
  ["login-failed", stateOf(loginPage, { problem, username: "alice@example.test", fresh: true })],
  ["totp-failed", stateOf(totpPage, { problem })],
  ["recovery-failed", stateOf(recoveryPage, { problem, other: undefined })],
  ["device-failed", stateOf(deviceCodePage, { problem, userCode: "BDWP-HQPK" })],
  ["totp-register-demanded", stateOf(totpEnrolmentPage, { problem, cancel, remove: undefined })],
  ["recovery-register-bare", stateOf(recoveryEnrolmentPage, { canMake: false, left: 0 })],
  ["webauthn-register-demanded", stateOf(webauthnEnrolmentPage, { cancel })],
  ["webauthn-devices-empty", stateOf(passkeysPage, { passkeys: [] })],
  ["app-passwords-full", stateOf(appPasswordsPage, { problem })],
  ["home-bare", stateOf(homePage, { isBare: true })],
  ...problems.map((name): [string, Show] => [`error-${name}`, stateOf(errorPage, { problem: name, href: "#on" })]),
]);

import type { Look, Page } from "./look.ts";
import type { Pages, Shown } from "./pages.ts";
import { applicationsPage, appPasswordsPage, newAppPasswordPage, sessionsPage } from "./templates/access.ts";
import { homePage } from "./templates/account.ts";
import { codesLowPage, passwordWarningPage } from "./templates/after-sign-in.ts";
import { consentDeniedPage, consentPage } from "./templates/consent.ts";
import { deviceCodePage, deviceConsentPage, deviceFailedPage, deviceSuccessPage } from "./templates/device.ts";
import { recoveryCodesPage, recoveryEnrolmentPage, totpEnrolmentPage } from "./templates/enrolment.ts";
import { lostPhonePage, mfaPage, recoveryPage, totpPage } from "./templates/factors.ts";
import { loginPage } from "./templates/login.ts";
import { mailClientPage, mailClientReadyPage, mailClientsPage } from "./templates/mail-clients.ts";
import { errorPage, loggedOutPage, logoutPage } from "./templates/messages.ts";
import { postMessagePage } from "./templates/post-message.ts";
import { recentSignInsPage } from "./templates/recent-sign-ins.ts";
import { removalPage } from "./templates/removal.ts";
import { partlySignedOutPage, signingOutPage } from "./templates/single-logout.ts";
import { suspiciousSignInsPage } from "./templates/suspicious-sign-ins.ts";
import { passkeysPage, webauthnEnrolmentPage, webauthnLoginPage } from "./templates/webauthn.ts";

export interface ListedPage {
  readonly name: string;
  /** The page with its sample. */
  readonly preview: (pages: Pages, look: Look) => Shown;
}

function listed<View extends object>(page: Page<View>): ListedPage {
  return { name: page.name, preview: (pages, look) => pages.show(page, page.sample, look) };
}

/** Every page. */
export const pageList: readonly ListedPage[] = Object.freeze([
  listed(loginPage),
  listed(mfaPage),
  listed(totpPage),
  listed(recoveryPage),
  listed(lostPhonePage),
  listed(codesLowPage),
  listed(passwordWarningPage),
  listed(consentPage),
  listed(consentDeniedPage),
  listed(logoutPage),
  listed(loggedOutPage),
  listed(signingOutPage),
  listed(partlySignedOutPage),
  listed(deviceCodePage),
  listed(deviceConsentPage),
  listed(deviceSuccessPage),
  listed(deviceFailedPage),
  listed(postMessagePage),
  listed(homePage),
  listed(totpEnrolmentPage),
  listed(recoveryEnrolmentPage),
  listed(recoveryCodesPage),
  listed(webauthnLoginPage),
  listed(webauthnEnrolmentPage),
  listed(passkeysPage),
  listed(removalPage),
  listed(appPasswordsPage),
  listed(newAppPasswordPage),
  listed(mailClientsPage),
  listed(mailClientPage),
  listed(mailClientReadyPage),
  listed(sessionsPage),
  listed(recentSignInsPage),
  listed(suspiciousSignInsPage),
  listed(applicationsPage),
  listed(errorPage),
]);

import type { Audit } from "@postern/shared/domain/audit";
import type { Logger } from "@postern/shared/platform/logging";
import type { FlowGate } from "../../flow/flow-gate.ts";
import type { FlowStarts } from "../../flow/flow-starter.ts";
import type { CompleteSignIn } from "../../login/complete-sign-in.ts";
import type { ConnectedApplications, ListDemands, MailSignIns } from "../../login/connected-applications.ts";
import type { DelaySignIn } from "../../login/delay-sign-in.ts";
import type { FailedSignIns } from "../../login/failed-sign-ins.ts";
import type { CheckPassword, LookUpAccount } from "../../login/password-check.ts";
import type { SignInHistory } from "../../login/sign-in-history.ts";
import type { MailSetup } from "../../mail-clients/mail-setup.ts";
import type { IdpMetrics } from "../../metrics.ts";
import type { FactorGuard } from "../../mfa/factor-guard-redis.ts";
import type { FactorProofs } from "../../mfa/factor-proofs.ts";
import type { FactorStore } from "../../mfa/factor-store-nats.ts";
import type { Factors } from "../../mfa/factors-nats.ts";
import type { PasskeyAttempts } from "../../mfa/passkey-attempts-redis.ts";
import type { RemovedPasskeys } from "../../mfa/removed-passkeys.ts";
import type { SelfService } from "../../mfa/self-service.ts";
import type { SuspiciousSignIns } from "../../mfa/suspicious-sign-ins.ts";
import type { Ceremonies } from "../../mfa/webauthn/ceremonies.ts";
import type { Pages } from "../../pages/pages.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import type { SessionStore } from "../../sessions/session-store-redis.ts";
import type { Notify } from "../../user-notifications/notification.ts";
import type { Notifier } from "../../user-notifications/notifier.ts";

/** What the pages of a sign-in need. */
export interface LoginDeps {
  readonly pages: Pages;
  readonly gate: FlowGate;
  readonly starts: FlowStarts;
  readonly sessions: SessionStore;
  readonly checkPassword: CheckPassword;
  readonly factors: Factors;
  readonly delaySignIn: DelaySignIn;
  readonly guard: FactorGuard;
  readonly passkeyAttempts: PasskeyAttempts;
  readonly removedPasskeys: RemovedPasskeys;
  /** Number of consecutive wrong codes that locks a factor. */
  readonly maxFactorFailures: number;
  readonly ceremonies: Ceremonies;
  readonly store: FactorStore;
  readonly lookUp: LookUpAccount;
  readonly failedSignIns: FailedSignIns;
  /** Undefined while no history is recorded. */
  readonly history: Pick<SignInHistory, "note"> | undefined;
  readonly self: SelfService;
  readonly suspiciousSignIns: SuspiciousSignIns;
  readonly proofs: FactorProofs;
  /** Undefined while `identity.mail_clients.enabled` is off. */
  readonly mailSetup: MailSetup | undefined;
  /** Absent if OIDC is off. */
  readonly applications: ConnectedApplications | undefined;
  /** Absent if OIDC is off. */
  readonly mailSignIns: MailSignIns | undefined;
  /** List the demands of the applications that an account is connected with; one for each protocol. */
  readonly demanders: readonly ListDemands[];
  /** A user has ended a session: also ends its tokens. */
  readonly onEnded: (session: BrowserSessionRecord) => Promise<void>;
  readonly notify: Notify;
  /** Undefined: users are not notified of new devices. */
  readonly notifier: Pick<Notifier, "signedIn"> | undefined;
  /** Origin of the site, as browsers write it. */
  readonly origin: string;
  readonly completeSignIn: CompleteSignIn;
  readonly metrics: IdpMetrics;
  readonly logger: Logger;
  readonly audit: Audit;
  readonly nowMs: () => number;
  /** What time it may be, for codes of authenticator apps. */
  readonly totpTimesMs: () => readonly number[];
  /** Timeout of one request to an engine. */
  readonly decisionTimeoutMs: () => number;
  readonly totpSkew: number;
  /** Whether a page tells users that their network is banned; otherwise they get the page for a wrong password. */
  readonly explainsNetworkBlock: boolean;
  /** Lifetime of a remembered session; 0: not offered. */
  readonly rememberMs: number;
}

import type { Audit } from "@postern/shared/audit";
import type { Logger } from "@postern/shared/logging";
import type { FlowGate } from "../../flow/flow-gate.ts";
import type { FlowStarts } from "../../flow/flow-starter.ts";
import type { CompleteSignIn } from "../../login/complete-sign-in.ts";
import type { ConnectedApplications, ListDemands } from "../../login/connected-applications.ts";
import type { CheckPassword, LookUpAccount } from "../../login/password-check.ts";
import type { IdpMetrics } from "../../metrics.ts";
import type { FactorGuard } from "../../mfa/factor-guard.ts";
import type { FactorStore } from "../../mfa/factor-store.ts";
import type { Factors } from "../../mfa/factors.ts";
import type { SelfService } from "../../mfa/self-service.ts";
import type { Ceremonies } from "../../mfa/webauthn/ceremonies.ts";
import type { Notify } from "../../notices/notice.ts";
import type { Notifier } from "../../notices/notifier.ts";
import type { Pages } from "../../pages/pages.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import type { SessionStore } from "../../sessions/session-store.ts";

/** What the pages of a sign-in need. */
export interface LoginDeps {
  readonly pages: Pages;
  readonly gate: FlowGate;
  readonly starts: FlowStarts;
  readonly sessions: SessionStore;
  readonly checkPassword: CheckPassword;
  readonly factors: Factors;
  readonly guard: FactorGuard;
  readonly ceremonies: Ceremonies;
  readonly store: FactorStore;
  readonly lookUp: LookUpAccount;
  readonly self: SelfService;
  /** Absent while the OIDC provider is off. */
  readonly applications: ConnectedApplications | undefined;
  /** What the applications that an account is connected with demand: one for each protocol. */
  readonly demanders: readonly ListDemands[];
  /** A session was ended by its user: its tokens end too. */
  readonly onEnded: (session: BrowserSessionRecord) => Promise<void>;
  readonly notify: Notify;
  /** Undefined: nobody is told of new devices. */
  readonly notifier: Pick<Notifier, "signedIn"> | undefined;
  /** Of the site, as browsers write it. */
  readonly origin: string;
  readonly completeSignIn: CompleteSignIn;
  readonly metrics: IdpMetrics;
  readonly logger: Logger;
  readonly audit: Audit;
  readonly nowMs: () => number;
  /** For one request of the engine. */
  readonly decisionTimeoutMs: () => number;
  readonly totpSkew: number;
  /** 0: remembering is not offered. */
  readonly rememberMs: number;
}

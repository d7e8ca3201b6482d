import { historyFromConfig } from "@postern/shared/assembly";
import type { LostPhoneCodes } from "@postern/shared/domain/lost-phone";
import { locateOnBus } from "@postern/shared/domain/places";
import type { Bus } from "@postern/shared/platform/bus";
import { type Config, clientDefaults } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { AccountDomains } from "../domains/account-domains.ts";
import type { MailSetup } from "../mail-clients/mail-setup.ts";
import type { OidcContext } from "../oidc/context.ts";
import type { DeviceMemory } from "../remembered-devices/remembered-devices.ts";
import type { SecondFactors } from "../second-factors/context.ts";
import { demandsOf, type SignInDemands, withAnyFactor } from "../second-factors/sign-in-demands.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session.ts";
import type { SignInContext } from "../sign-in/context.ts";
import type { VisitContext } from "../visit/context.ts";
import { createRecentSignIns } from "./recent-sign-ins.ts";
import { createSelfService } from "./self-service.ts";

/** What the applications of one protocol demand of an account. @throws AppError if that cannot be determined */
type ListDemands = (account: string) => Promise<readonly SignInDemands[]>;

/** What self-service needs from other features. */
export interface AccountParts {
  readonly state: RedisClient;
  readonly bus: Pick<Bus, "request">;
  readonly visits: VisitContext;
  readonly secondFactors: SecondFactors;
  readonly deviceMemory: DeviceMemory;
  /** Also while the site does not offer them, so that one from before can be ended. */
  readonly lostPhoneCodes: Pick<LostPhoneCodes, "forget">;
  /** Continues a sign-in for which a factor had to be set up. */
  readonly signIn: Pick<SignInContext, "completeSignIn" | "rememberMs">;
  /** Undefined while `identity.mail_clients.enabled` is off. */
  readonly mailSetup: MailSetup | undefined;
  /** Undefined if OIDC is off. */
  readonly applications: OidcContext["applications"] | undefined;
  /** Undefined if OIDC is off. */
  readonly mailSignIns: OidcContext["mailSignIns"] | undefined;
  /** List the demands of the applications that an account is connected with; one for each protocol. */
  readonly demanders: readonly ListDemands[];
  /** A user has ended a session: also ends its tokens. */
  readonly onEnded: (session: BrowserSessionRecord) => Promise<void>;
  /** A user has ended all other sessions: those of other regions end too. */
  readonly onAllEnded: (account: string) => Promise<void>;
}

/** A domain may require a second factor, whichever its users have. */
function demandsOfDomain({ identity }: Config, domains: AccountDomains): ListDemands {
  const any = withAnyFactor(demandsOf(clientDefaults, identity.mfa_policy));
  return async (account) => ((await domains.requiresFactor(account)) ? [any] : []);
}

/** Everything that the pages of self-service and the MFA API need. */
export function createAccount(config: Config, parts: AccountParts) {
  const { identity } = config;
  const { state, bus, visits, secondFactors, signIn, demanders, ...others } = parts;
  const { store, ceremonies, suspiciousSignIns, proofs, notify } = secondFactors;
  const { totp } = identity.mfa;
  return {
    ...visits,
    ...others,
    demanders: [...demanders, demandsOfDomain(config, visits.domains)],
    store,
    ceremonies,
    suspiciousSignIns,
    recentSignIns: createRecentSignIns(historyFromConfig(config, state), locateOnBus(bus)),
    proofs,
    notify,
    completeSignIn: signIn.completeSignIn,
    rememberMs: signIn.rememberMs,
    self: createSelfService({
      ...secondFactors,
      totpIssuer: totp.issuer === "" ? identity.frontend.branding.name : totp.issuer,
    }),
    siteName: identity.frontend.branding.name,
    /** Origin of the site, as browsers write it. */
    origin: new URL(identity.oidc.issuer).origin,
  };
}

export type AccountContext = ReturnType<typeof createAccount>;

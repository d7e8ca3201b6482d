import { clientDefaults } from "@postern/shared/platform/config";
import type { ConnectedApplications, MailSignIns } from "../../account/connected-applications.ts";
import type { EndSessions } from "../../oidc/logout/end-sessions.ts";
import type { Generations } from "../../oidc/provider/generation.ts";
import { ownNames } from "../../oidc/registered/registered-policies.ts";
import { createApplications } from "../../oidc/sessions/applications.ts";
import { type BrowserSessionList, createBrowserSessionList } from "../../oidc/sessions/browser-session-list.ts";
import { createMailSignIns } from "../../oidc/sessions/mail-sign-ins.ts";
import { createOidcSessions, type OidcSessions } from "../../oidc/sessions/session-list.ts";
import { createOwnersOf, type OwnersOf } from "../../oidc/sessions/session-owner.ts";
import type { OidcSettings } from "../../oidc/settings/oidc-settings.ts";
import { demandsOf, type SignInDemands } from "../../second-factors/sign-in-demands.ts";
import type { AccountsFeature } from "./accounts.ts";
import type { GrantsFeature } from "./grants.ts";
import type { OidcParts } from "./parts.ts";
import type { RegisteredFeature } from "./registered.ts";
import type { StorageFeature } from "./storage.ts";
import type { TokensFeature } from "./tokens.ts";

export interface SessionsFeature {
  readonly oidcSessions: OidcSessions;
  readonly browserSessions: BrowserSessionList;
  readonly ownersOf: OwnersOf;
  readonly applications: ConnectedApplications;
  readonly mailSignIns: MailSignIns;
}

function mailDemands({ oidc, mfaPolicy }: OidcSettings): SignInDemands {
  return demandsOf({ ...clientDefaults, require_mfa: oidc.mail_registration.require_mfa }, mfaPolicy);
}

interface SessionSources extends StorageFeature, AccountsFeature, GrantsFeature, TokensFeature, RegisteredFeature {
  readonly generations: Generations;
  readonly endSessions: EndSessions;
}

/** Sessions and connected applications, as operators and users see them. */
export function createSessionsFeature(parts: OidcParts, sources: SessionSources): SessionsFeature {
  const { sessions, settings, sharedClock, initial, onClosed, accountNames } = parts;
  const nowSeconds = (): number => Math.floor(sharedClock.now() / 1000);
  const { store, digestOf, accounts, subjectsOfAccount, records, consents, generations, endSessions, registered } =
    sources;
  const policies = () => generations.current().policies;
  return {
    oidcSessions: createOidcSessions({ store, accounts, records, digestOf, nowSeconds }),
    browserSessions: createBrowserSessionList(sessions, endSessions, onClosed),
    ownersOf: createOwnersOf({ accountNames, accounts, subjectsOfAccount, sessions, policies }),
    mailSignIns: createMailSignIns({
      store,
      subjectsOfAccount,
      registered,
      records,
      digestOf,
      nowSeconds,
      ownNames: () => ownNames(settings()),
      demands: () => mailDemands(settings()),
    }),
    applications: createApplications({
      store,
      subjectsOfAccount,
      records,
      consents,
      sessions,
      issuer: initial.issuer,
      clients: () => settings().oidc.clients,
      registeredClient: async (id) => {
        await registered.load(id);
        return policies().get(id)?.config;
      },
      mfaPolicy: () => settings().mfaPolicy,
    }),
  };
}

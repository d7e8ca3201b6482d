import { systemClock } from "@postern/shared/platform/time";
import type { ConnectedApplications } from "../../login/connected-applications.ts";
import type { EndSessions } from "../../oidc/logout/end-sessions.ts";
import type { Generations } from "../../oidc/provider/generation.ts";
import { createApplications } from "../../oidc/sessions/applications.ts";
import { type BrowserSessionList, createBrowserSessionList } from "../../oidc/sessions/browser-session-list.ts";
import { createOidcSessions, type OidcSessions } from "../../oidc/sessions/session-list.ts";
import { createOwnersOf, type OwnersOf } from "../../oidc/sessions/session-owner.ts";
import type { AccountsFeature } from "./accounts.ts";
import type { GrantsFeature } from "./grants.ts";
import type { OidcParts } from "./parts.ts";
import type { StorageFeature } from "./storage.ts";
import type { TokensFeature } from "./tokens.ts";

export interface SessionsFeature {
  readonly oidcSessions: OidcSessions;
  readonly browserSessions: BrowserSessionList;
  readonly ownersOf: OwnersOf;
  readonly applications: ConnectedApplications;
}

const nowSeconds = (): number => Math.floor(systemClock.now() / 1000);

interface SessionSources extends StorageFeature, AccountsFeature, GrantsFeature, TokensFeature {
  readonly generations: Generations;
  readonly endSessions: EndSessions;
}

/** Sessions and connected applications, as operators and users see them. */
export function createSessionsFeature(parts: OidcParts, sources: SessionSources): SessionsFeature {
  const { sessions, settings, onClosed } = parts;
  const { store, digestOf, accounts, subjectsOfAccount, records, consents, generations, endSessions } = sources;
  const policies = () => generations.current().policies;
  return {
    oidcSessions: createOidcSessions({ store, accounts, records, digestOf, nowSeconds }),
    browserSessions: createBrowserSessionList({ sessions, endSessions, onClosed }),
    ownersOf: createOwnersOf({ accounts, subjectsOfAccount, sessions, policies }),
    applications: createApplications({
      store,
      subjectsOfAccount,
      records,
      consents,
      sessions,
      clients: () => settings().oidc.clients,
      mfaPolicy: () => settings().mfaPolicy,
    }),
  };
}

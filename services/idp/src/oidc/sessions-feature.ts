import { clientDefaults } from "@postern/shared/platform/config";
import { demandsOf, type SignInDemands } from "../second-factors/sign-in-demands.ts";
import type { EndSessions } from "./logout/end-sessions.ts";
import type { OidcParts, OidcStores } from "./parts.ts";
import type { Generations } from "./provider/generation.ts";
import { ownNames } from "./registration/registered-policies.ts";
import { createBrowserSessionList } from "./sessions/browser-session-list.ts";
import { createApplications } from "./sessions/connected-applications.ts";
import { createMailSignIns } from "./sessions/mail-sign-ins.ts";
import { createOidcSessions } from "./sessions/session-list.ts";
import { createOwnersOf } from "./sessions/session-owner.ts";
import type { OidcSettings } from "./settings/oidc-settings.ts";

function mailDemands({ oidc, mfaPolicy }: OidcSettings): SignInDemands {
  return demandsOf({ ...clientDefaults, require_mfa: oidc.mail_registration.require_mfa }, mfaPolicy);
}

/** Sessions and connected applications, as operators and users see them. */
export function createSessionsFeature(
  parts: OidcParts,
  stores: OidcStores,
  { generations, endSessions }: { readonly generations: Generations; readonly endSessions: EndSessions },
) {
  const { sessions, settings, sharedClock, initial, onClosed, accountNames } = parts;
  const nowSeconds = (): number => Math.floor(sharedClock.now() / 1000);
  const { store, digestOf, accounts, subjectsOfAccount, records, consents, registered } = stores;
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

import { systemClock } from "@postern/shared/platform/time";
import { createFindAccount } from "../../oidc/accounts/find-account.ts";
import type { DeviceBrake } from "../../oidc/device/device-brake.ts";
import { createAdapterFactory } from "../../oidc/provider/adapter.ts";
import { createSessionAdapter } from "../../oidc/provider/adapter-session.ts";
import { isFault, reasonOf, withClientErrors } from "../../oidc/provider/authorize-failure.ts";
import { createInteractionUrl } from "../../oidc/provider/interaction-url.ts";
import type { ProviderHooks } from "../../oidc/provider/provider.ts";
import { logoutSupport } from "../../oidc/settings/oidc-settings.ts";
import { createRenderError } from "../../routes/oidc/render-error.ts";
import { sessionCookieName } from "../../sessions/cookies.ts";
import type { AccountsFeature } from "./accounts.ts";
import type { GrantsFeature } from "./grants.ts";
import type { OidcParts } from "./parts.ts";
import type { StorageFeature } from "./storage.ts";
import type { TokensFeature } from "./tokens.ts";

/** The features that the provider calls. */
export interface HookedFeatures extends StorageFeature, AccountsFeature, GrantsFeature, TokensFeature {
  readonly brake: DeviceBrake;
}

const securityPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'";

function createAdapter({ sessions }: OidcParts, features: HookedFeatures): ProviderHooks["adapter"] {
  const { store, digestOf, records, keepGrant, accounts } = features;
  return createAdapterFactory({
    store,
    digestOf,
    sessions: createSessionAdapter({ sessions, revokeSession: (session) => records.revokeSession(session) }),
    revokeGrant: (grantId) => records.revokeGrant(grantId),
    keepGrant,
    keepAccount: (accountId) => accounts.keep(accountId),
  });
}

function createErrorLog({ logger }: OidcParts): ProviderHooks["onError"] {
  return (event, err, requester) => {
    const fields = { event, ...requester, reason: reasonOf(err), err };
    if (event === "error" || event === "server_error" || isFault(err)) logger.error(fields, "OIDC request failed");
    else logger.info(fields, "OIDC request refused");
  };
}

/** What the provider calls in our code, the same for every generation. */
export function createHooks(parts: OidcParts, features: HookedFeatures): ProviderHooks {
  const { sessions, settings, starter, initial, counted } = parts;
  const { accounts, records, consents, brake, reportUnreadable } = features;
  return {
    adapter: createAdapter(parts, features),
    sessionCookie: sessionCookieName(initial.issuer),
    interactionUrl: withClientErrors(
      createInteractionUrl({
        starter,
        clients: () => settings().oidc.clients,
        mfaPolicy: () => settings().mfaPolicy,
        findSession: (uid) => sessions.findByUid(uid),
      }),
    ),
    findAccount: withClientErrors(createFindAccount({ accounts, sessions })),
    hasConsented: withClientErrors((accountId: string, clientId: string, scopes: readonly string[]) =>
      consents.has(accountId, clientId, scopes),
    ),
    epochOf: (subject) => records.epochOf(subject),
    record: (token, epoch) => records.record(token, epoch),
    mayPoll: (deviceCode) => brake.mayPoll(deviceCode),
    pollingInterval: () => settings().oidc.device_flow.polling_interval,
    contentSecurityPolicy: securityPolicy,
    logoutSupport: () => logoutSupport(settings()),
    renderError: createRenderError(parts.pages),
    onGrant: (grantType, result) => counted.grant(grantType, result),
    accountOf: (accountId) => accounts.find(accountId),
    reportUnreadable,
    nowSeconds: () => Math.floor(systemClock.now() / 1000),
    findSession: (uid) => sessions.findByUid(uid),
    onError: createErrorLog(parts),
  };
}

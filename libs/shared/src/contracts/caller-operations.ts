import type { AuthOperation } from "./auth/request.ts";
import { type OperationId, operations } from "./operations.ts";

/** What an API caller asks for: the operation of an authentication request, otherwise one of the operation table. */
export type CallerAction = AuthOperation | OperationId;

const groups = {
  authenticate: ["authenticate"],
  lookup: ["lookup"],
  "list-accounts": ["list-accounts"],
  "auth-policy": ["authPolicy", "authPolicyPing"],
  flush: ["flushUserCache", "enqueueUserCacheFlush", "readJob", "flushDomain"],
  bans: [
    "listBruteForceEntries",
    "listFilteredBruteForceEntries",
    "flushBruteForceRule",
    "enqueueBruteForceRuleFlush",
    "readJob",
  ],
  "second-factors": [
    "setTotpSecret",
    "deleteTotpSecret",
    "setRecoveryCodes",
    "deleteRecoveryCodes",
    "unlockSecondFactors",
    "listWebauthnCredentials",
    "saveWebauthnCredential",
    "updateWebauthnCredential",
    "deleteWebauthnCredential",
    "deleteUserPasskey",
    "deleteUserAppPassword",
  ],
  "oidc-sessions": ["listOidcSessions", "deleteOidcSessions", "deleteOidcSession"],
  "oidc-clients": ["listRegisteredClients", "deleteRegisteredClient"],
  "signing-keys": ["listSigningKeys", "rotateSigningKeys"],
  "failed-sign-ins": ["getFailedSignIn"],
  "help-desk": [
    "explain",
    "listDecisions",
    "showAccount",
    "explainRisk",
    "listBansByEnd",
    "showAttacks",
    "showSeries",
    "showOrigins",
    "showSystem",
    "getFailedSignIn",
  ],
  domains: ["listDomains", "showDomain"],
  hooks: ["getCustomHook", "postCustomHook", "putCustomHook", "patchCustomHook", "deleteCustomHook"],
  configuration: ["loadConfiguration"],
} as const satisfies Readonly<Record<string, readonly CallerAction[]>>;

/** Groups of operations that the list of an API caller may contain. */
export const callerOperationGroups: Readonly<Record<string, readonly string[]>> = groups;

/** Authentication requests are named by their operation instead, because several dialects share one path or one mode. */
const singleOperations = operations.filter(
  ({ family, security }) => family.owner !== "gateway" && (security === "backchannel" || security === "hook"),
);

/** Everything that the list of an API caller may contain: groups and operation IDs. */
export const callerOperationNames: readonly string[] = [
  ...Object.keys(groups),
  ...singleOperations.map(({ operationId }) => operationId),
];

const dialectActions: ReadonlySet<string> = new Set<AuthOperation>(["authenticate", "lookup", "list-accounts"]);

const openToLimited: ReadonlySet<string> = new Set(
  operations.flatMap(({ operationId, concerns }) => (concerns === undefined ? [] : [operationId])),
);

/** Whether a caller that is limited to domains may ask for it at all; `action` is undefined for a request that no operation serves. */
export function isOpenToLimited(action: string | undefined): boolean {
  return action !== undefined && (dialectActions.has(action) || openToLimited.has(action));
}

/** The actions that the entries of a list stand for. */
export function actionsNamed(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => callerOperationGroups[name] ?? [name]));
}

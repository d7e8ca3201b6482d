export { accountFlushed } from "./account/events.ts";
export {
  BruteForceList,
  BruteForceListRequest,
  BruteForceListResult,
  DelayedAccount,
} from "./admin/brute-force-list.ts";
export { ConfigLoad } from "./admin/config-load.ts";
export { BruteForceFlush, BruteForceFlushRequest, CacheFlush, CacheFlushRequest } from "./admin/flush.ts";
export {
  AsyncJobStatus,
  BruteForceFlushAsync,
  CacheFlushAsync,
  JobRecord,
  JobStatus,
  JobType,
} from "./admin/jobs.ts";
export { JwtTokenRequest, JwtTokenResponse } from "./admin/jwt.ts";
export {
  MfaBackchannelAppPassword,
  MfaBackchannelCredential,
  MfaBackchannelCredentials,
  MfaBackchannelDone,
  MfaBackchannelFactors,
  MfaBackchannelPasskey,
  MfaBackchannelRecoveryCodes,
  MfaBackchannelReplacement,
  MfaBackchannelTotp,
  MfaBackchannelUnlock,
  MfaBackchannelUnlocked,
  MfaBackchannelUser,
} from "./admin/mfa-backchannel.ts";
export { validatedOperations } from "./admin/validated-operations.ts";
export { BackendDescription, describeAccount } from "./auth/account-description.ts";
export {
  AuthDecision,
  BackendKind,
  type Blocked,
  DenialReason,
  type Fail,
  type Ok,
  type TempFail,
} from "./auth/decision.ts";
export {
  type ListAccountsMethod,
  type ListAccountsReply,
  type ListAccountsRequest,
  listAccounts,
  listAccountsAt,
} from "./auth/list-accounts.ts";
export { authenticate } from "./auth/methods.ts";
export { programOf } from "./auth/program.ts";
export { normalisedProtocol } from "./auth/protocol.ts";
export { AuthOperation, AuthRequest, Dialect, TlsDetails } from "./auth/request.ts";
export { maxUserNameLength, userNameFault } from "./auth/user-name.ts";
export {
  AuthPolicyEffect,
  AuthPolicyLogin,
  AuthPolicyResult,
  AuthPolicyVerdict,
  authPolicyAllow,
  authPolicyReport,
  authPolicyReset,
} from "./auth-policy/methods.ts";
export { type AuthPolicyCommand, authPolicyCommands } from "./auth-policy/wire.ts";
export { bruteForceFlushed, networkBanned } from "./brute-force/events.ts";
export { actionsNamed, type CallerAction, callerOperationGroups, callerOperationNames } from "./caller-operations.ts";
export { AccountQuery, AccountReport } from "./console/account.ts";
export {
  type ConsoleAction,
  type ConsoleActionId,
  type ConsoleRole,
  consoleActions,
  consoleRoles,
  type HelpdeskRule,
  isConsoleAction,
  mayAct,
  rankOfRole,
  scopesOfRole,
} from "./console/actions.ts";
export {
  type AuditFormat,
  AuditRecordListed,
  AuditRecordPage,
  auditFilters,
  auditFormats,
} from "./console/audit.ts";
export { Invitation, InvitationRequest } from "./console/invitation.ts";
export {
  type ConsolePageId,
  type ConsolePageRow,
  type ConsoleRight,
  consolePages,
  consoleRoutes,
  hasRight,
  mayOpen,
} from "./console/pages.ts";
export { reasonMeanings } from "./console/reason-meanings.ts";
export {
  Attacks,
  BanRecord,
  BanRecordPage,
  DecisionHistoryPage,
  DecisionRecord,
  Explanation,
  type ExplanationCause,
} from "./console/records.ts";
export { RiskExplanation } from "./console/risk.ts";
export { type SystemFinding, SystemReport } from "./console/system.ts";
export {
  type BusEvent,
  type BusMethod,
  defineEvent,
  defineMethod,
  methodAt,
  type Payload,
  type Reply,
  type Request,
} from "./define.ts";
export { type CacheFlushScriptReply, cacheFlushScript } from "./engine/cache-flush-script.ts";
export { engineAlive, engineHeartbeatMs } from "./engine/events.ts";
export { lentScriptFunctions, scriptModule } from "./engine/script-module.ts";
export { budgetExhausted } from "./gateway/events.ts";
export { ApplicationList } from "./idp/applications.ts";
export { AccountNotification, accountNotified, notificationEvents } from "./idp/events.ts";
export { FailedSignInRecord } from "./idp/failed-sign-in-operations.ts";
export { notifySuspiciousSignIn } from "./idp/methods.ts";
export { RegisteredClientList } from "./idp/registration.ts";
export { type BrowserSessionListed, OidcSessionList, type OidcSessionListed } from "./idp/sessions.ts";
export { SigningKeyList, type SigningKeyListed, SigningKeysRotated } from "./idp/signing-key-operations.ts";
export { WebauthnAssertion, WebauthnRegistration } from "./idp/webauthn.ts";
export {
  AppPassword,
  maxAppPasswords,
  maxLabelLength,
  mfaAppPasswordCreate,
  mfaAppPasswordRevoke,
  mfaAppPasswordsList,
} from "./mfa/app-passwords.ts";
export { mfaFactorsRead } from "./mfa/factors.ts";
export {
  maxRecoveryCodes,
  mfaRecoveryCodeRedeem,
  mfaRecoveryCodesDelete,
  mfaRecoveryCodesSet,
} from "./mfa/recovery-codes.ts";
export { MfaRefusal, MfaTarget } from "./mfa/target.ts";
export { mfaTotpDelete, mfaTotpSet } from "./mfa/totp.ts";
export { typedCode } from "./mfa/typed-code.ts";
export {
  maxWebauthnCredentials,
  mfaWebauthnDelete,
  mfaWebauthnList,
  mfaWebauthnSave,
  mfaWebauthnUpdate,
} from "./mfa/webauthn.ts";
export {
  type Audience,
  type DisabledEndpoint,
  disabledEndpoints,
  type HttpMethod,
  type Operation,
  type OperationAnswer,
  type OperationSecurity,
} from "./operations/define-operation.ts";
export { apiPrefix, type Channel, type Owner, type RouteFamily, type ScopeWord } from "./operations/route-family.ts";
export {
  fillPath,
  type OperationId,
  operation,
  operations,
  type PathParameters,
  pathTo,
  routeFamilies,
} from "./operations.ts";
export { eventSubject, inboxPrefix, methodSubject, queueGroup } from "./subjects.ts";
export { ServiceReport, serviceReportAsked, serviceReported } from "./system/events.ts";

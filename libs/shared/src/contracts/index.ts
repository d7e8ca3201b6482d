export { accountFlushed } from "./account/events.ts";
export { BruteForceList, BruteForceListRequest, BruteForceListResult } from "./admin/brute-force-list.ts";
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
  MfaBackchannelCredential,
  MfaBackchannelCredentials,
  MfaBackchannelDone,
  MfaBackchannelRecoveryCodes,
  MfaBackchannelReplacement,
  MfaBackchannelTotp,
  MfaBackchannelUser,
} from "./admin/mfa-backchannel.ts";
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
export { AuthOperation, AuthRequest, Dialect, TlsDetails } from "./auth/request.ts";
export { bruteForceFlushed } from "./brute-force/events.ts";
export {
  type BusEvent,
  type BusMethod,
  defineEvent,
  defineMethod,
  type Payload,
  type Reply,
  type Request,
} from "./define.ts";
export { type CacheFlushScriptReply, cacheFlushScript } from "./engine/cache-flush-script.ts";
export { engineAlive, engineBeatMs } from "./engine/events.ts";
export { lentScriptFunctions, scriptModule } from "./engine/script-module.ts";
export { budgetExhausted } from "./gateway/events.ts";
export { AccountNotice, accountNoticed, noticeEvents } from "./idp/events.ts";
export { WebauthnAssertion, WebauthnRegistration } from "./idp/webauthn.ts";
export {
  AppPassword,
  maxAppPasswords,
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
export {
  maxWebauthnCredentials,
  mfaWebauthnDelete,
  mfaWebauthnList,
  mfaWebauthnSave,
  mfaWebauthnUpdate,
} from "./mfa/webauthn.ts";
export type { Audience, Operation, OperationAnswer, OperationSecurity } from "./openapi/define-operation.ts";
export { operations } from "./openapi/operations.ts";
export { eventSubject, inboxPrefix, methodSubject, queueGroup } from "./subjects.ts";

import {
  AccountReport,
  AsyncJobStatus,
  Attacks,
  AuditRecordPage,
  BanRecordPage,
  BruteForceFlush,
  BruteForceFlushAsync,
  CacheFlush,
  CacheFlushAsync,
  ConfigLoad,
  DecisionHistoryPage,
  DecisionRecord,
  DevicesForgotten,
  DomainFlush,
  DomainList,
  DomainReport,
  Explanation,
  FailedSignInRecord,
  Invitation,
  LostPhoneCode,
  MfaBackchannelCredentials,
  MfaBackchannelFactors,
  MfaBackchannelUnlocked,
  RegionList,
  RegisteredClientList,
  RiskExplanation,
  ShadowReport,
  SignInSeries,
  SigningKeyList,
  SigningKeysRotated,
  SuspensionDone,
  SuspensionList,
  SystemReport,
  WatchDropped,
  WatchEnd,
  WatchSources,
} from "@postern/shared/contracts";
import { type Static, type TSchema, Type } from "typebox";
import { Check } from "typebox/value";
import { ApiError } from "./api.ts";

/** Sessions of OIDC clients. */
const Sessions = Type.Object({
  sessions: Type.Array(
    Type.Object({
      id: Type.String(),
      client_id: Type.String(),
      user_id: Type.String(),
      username: Type.String(),
      mfa_method: Type.Optional(Type.String()),
      scopes: Type.Array(Type.String()),
      auth_time: Type.String(),
      mfa_completed: Type.Boolean(),
    }),
  ),
  /** Absent from versions that do not list them. */
  browser_sessions: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        client_ip: Type.String(),
        user_agent: Type.String(),
        auth_time: Type.String(),
        last_seen: Type.String(),
        mfa_completed: Type.Boolean(),
        client_ids: Type.Array(Type.String()),
      }),
    ),
  ),
});

function reader<Schema extends TSchema>(schema: Schema) {
  return (value: unknown): Static<Schema> => {
    if (Check(schema, value)) return value;
    throw new ApiError(
      0,
      "this version does not understand the response; use the postern command of the same version as the services",
    );
  };
}

export const readAccount = reader(AccountReport);
export const readJob = reader(AsyncJobStatus);
export const readBruteForceFlush = reader(BruteForceFlush);
export const readBruteForceFlushAsync = reader(BruteForceFlushAsync);
export const readAttacks = reader(Attacks);
export const readAuditPage = reader(AuditRecordPage);
export const readBans = reader(BanRecordPage);
export const readCacheFlush = reader(CacheFlush);
export const readCacheFlushAsync = reader(CacheFlushAsync);
export const readConfig = reader(ConfigLoad);
export const readCredentials = reader(MfaBackchannelCredentials);
export const readDecision = reader(DecisionRecord);
export const readExplanation = reader(Explanation);
export const readFactors = reader(MfaBackchannelFactors);
export const readFailedSignIn = reader(FailedSignInRecord);
export const readHistory = reader(DecisionHistoryPage);
export const readRiskExplanation = reader(RiskExplanation);
export const readLostPhoneCode = reader(LostPhoneCode);
export const readDevicesForgotten = reader(DevicesForgotten);
export const readDomainFlush = reader(DomainFlush);
export const readDomainList = reader(DomainList);
export const readDomainReport = reader(DomainReport);
export const readRegions = reader(RegionList);
export const readShadowReport = reader(ShadowReport);
export const readSeries = reader(SignInSeries);
export const readSuspensionDone = reader(SuspensionDone);
export const readSuspensions = reader(SuspensionList);
export const readSystem = reader(SystemReport);
export const readWatchDropped = reader(WatchDropped);
export const readWatchEnd = reader(WatchEnd);
export const readWatchSources = reader(WatchSources);
export const readInvitation = reader(Invitation);
export const readUnlocked = reader(MfaBackchannelUnlocked);
export const readRegisteredClients = reader(RegisteredClientList);
export const readSessions = reader(Sessions);
export const readSigningKeys = reader(SigningKeyList);
export const readSigningKeysRotated = reader(SigningKeysRotated);

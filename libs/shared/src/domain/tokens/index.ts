export type { VerifiedToken } from "./claims.ts";
export { guardedDocument, type RefuseAddress, type WantedDocument } from "./guarded-document.ts";
export {
  createKeySource,
  guardedKeySetUrl,
  type KeySource,
  keySetFile,
  keySetUrl,
  type LoadKeySet,
} from "./key-source.ts";
export { createOpaqueRecordReader, createOpaqueVerifier } from "./opaque-verifier.ts";
export { createRevocation, type Revocation } from "./revocation.ts";
export { createRevoker, type Revoker } from "./revoke.ts";
export {
  type ServiceTokenRules,
  serviceRefreshTokenType,
  serviceTokenKey,
  serviceTokenNames,
  serviceTokenType,
  signServiceToken,
  verifyServiceSignature,
} from "./service-token.ts";
export type { TokenSubject } from "./subject-digest.ts";
export { createTokenVerifier, type TokenVerifier } from "./token-verifier.ts";
export type { TokenVerdict } from "./verdict.ts";
export type { AccessTokenRules } from "./verify-access-token.ts";

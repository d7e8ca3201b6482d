export {
  AccessTokenClaims,
  type RevocationFacts,
  ServiceTokenClaims,
  type VerifiedToken,
} from "./claims.ts";
export { guardedDocument, type RefuseAddress, type WantedDocument } from "./guarded-document.ts";
export { type AccessTokenAlgorithm, accessTokenAlgorithms } from "./jwks.ts";
export {
  createKeySource,
  guardedKeySetUrl,
  type KeyLookup,
  type KeySource,
  type KeySourceOptions,
  keySetFile,
  keySetUrl,
  type LoadKeySet,
} from "./key-source.ts";
export { createOpaqueRecordReader, createOpaqueVerifier } from "./opaque-verifier.ts";
export { createRevocation, type Revocation, type RevocationOptions, type RevocationState } from "./revocation.ts";
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
export { kindDigest, subjectDigest, type TokenSubject } from "./subject-digest.ts";
export {
  createTokenVerifier,
  maxTokenLength,
  type TokenVerifier,
  type TokenVerifierOptions,
} from "./token-verifier.ts";
export type { InvalidReason, TokenVerdict } from "./verdict.ts";
export { type AccessTokenRules, accessTokenType } from "./verify-access-token.ts";

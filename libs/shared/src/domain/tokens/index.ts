export type { TokenSubject, TokenVerdict, VerifiedToken } from "./claims.ts";
export { guardedDocument, type RefuseAddress, type WantedDocument } from "./guarded-document.ts";
export {
  createKeySource,
  guardedKeySetUrl,
  type KeySource,
  keySetFile,
  keySetUrl,
  type LoadKeySet,
} from "./key-source.ts";
export { createOpaqueRecordReader, createOpaqueVerifier, type OpaqueRecord, opaqueToken } from "./opaque-verifier.ts";
export * from "./revocation.ts";
export * from "./service-token.ts";
export { createTokenVerifier, type TokenVerifier } from "./token-verifier.ts";
export type { AccessTokenRules } from "./verify-access-token.ts";

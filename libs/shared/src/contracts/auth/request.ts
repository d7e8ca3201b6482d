import { type Static, Type } from "typebox";

/** What is asked: the contract's `mode` (none, `no-auth`, `list-accounts`). */
export const AuthOperation = Type.Union([
  Type.Literal("authenticate"),
  Type.Literal("lookup"),
  Type.Literal("list-accounts"),
]);
export type AuthOperation = Static<typeof AuthOperation>;

/** The endpoint that took the request. */
export const Dialect = Type.Union([
  Type.Literal("json"),
  Type.Literal("cbor"),
  Type.Literal("header"),
  Type.Literal("basic"),
  Type.Literal("proxy"),
  Type.Literal("sasl"),
  Type.Literal("grpc"),
  Type.Literal("jwt"),
  Type.Literal("idp"),
]);
export type Dialect = Static<typeof Dialect>;

/** The contract's `ssl_*` fields, verbatim: they are facts told by the caller, for policies and logs. */
export const TlsDetails = Type.Object({
  sessionId: Type.Optional(Type.String()),
  clientVerify: Type.Optional(Type.String()),
  clientDn: Type.Optional(Type.String()),
  clientCn: Type.Optional(Type.String()),
  issuer: Type.Optional(Type.String()),
  clientNotBefore: Type.Optional(Type.String()),
  clientNotAfter: Type.Optional(Type.String()),
  subjectDn: Type.Optional(Type.String()),
  issuerDn: Type.Optional(Type.String()),
  clientSubjectDn: Type.Optional(Type.String()),
  clientIssuerDn: Type.Optional(Type.String()),
  protocol: Type.Optional(Type.String()),
  cipher: Type.Optional(Type.String()),
  serial: Type.Optional(Type.String()),
  fingerprint: Type.Optional(Type.String()),
});
export type TlsDetails = Static<typeof TlsDetails>;

/**
 * One question of a mail server, free of any wire dialect.
 *
 * Absent means "not told"; an empty string never stands for absence. `password` is absent for lookups. The password
 * travels as text on the bus only; whoever receives the message wraps it in a `Secret` before anything else sees it.
 */
export const AuthRequest = Type.Object({
  session: Type.String({ minLength: 1, maxLength: 64, description: "request GUID, X-Service-Session" }),
  operation: AuthOperation,
  dialect: Dialect,
  username: Type.String({ description: "empty in a list-accounts that names none" }),
  password: Type.Optional(Type.String()),
  protocol: Type.String({ minLength: 1 }),
  method: Type.Optional(Type.String()),
  clientIp: Type.Optional(Type.String()),
  clientPort: Type.Optional(Type.String()),
  clientHostname: Type.Optional(Type.String()),
  clientId: Type.Optional(Type.String()),
  externalSessionId: Type.Optional(Type.String()),
  userAgent: Type.Optional(Type.String()),
  localIp: Type.Optional(Type.String()),
  localPort: Type.Optional(Type.String()),
  loginAttempt: Type.Optional(Type.Integer({ minimum: 0 })),
  tls: Type.Boolean({ description: "the contract's ssl: any non-empty value means TLS" }),
  tlsDetails: Type.Optional(TlsDetails),
  oidcClientId: Type.Optional(Type.String()),
  acceptLanguage: Type.Optional(Type.String()),
  memoryCache: Type.Boolean({ description: "false with query in-memory=0" }),
  sharedCache: Type.Boolean({ description: "false with query cache=0" }),
});
export type AuthRequest = Static<typeof AuthRequest>;

import { type Static, type TSchema, Type } from "typebox";

/** What a region does for another one. Requests and replies are encrypted, and no call leads to another one. */
export interface RegionCall<Req extends TSchema = TSchema, Rep extends TSchema = TSchema> {
  /** Part of the subject. */
  readonly name: string;
  readonly request: Req;
  readonly reply: Rep;
}

const optional = Type.Optional;
const text = (maxLength: number) => Type.String({ maxLength });
const digest = Type.String({ minLength: 1, maxLength: 128 });

const Headers = Type.Record(text(256), Type.Union([Type.String(), Type.Array(Type.String())]));

const ForwardedRequest = Type.Object({
  method: text(32),
  /** Path and query. */
  url: Type.String({ pattern: "^/" }),
  headers: Headers,
  /** Base64. */
  body: Type.String(),
  /** The host that the client requested. */
  host: optional(Type.String()),
  /** What the gateway that received the request knows of its client. */
  client: Type.Object({
    ip: text(64),
    session: text(128),
    certificate: optional(Type.Object({ der: text(16_384), isVerified: Type.Boolean() })),
  }),
});

const ForwardedAnswer = Type.Object({
  status: Type.Integer({ minimum: 100, maximum: 599 }),
  headers: Headers,
  /** Base64. */
  body: Type.String(),
});

export type ForwardedRequest = Static<typeof ForwardedRequest>;
export type ForwardedAnswer = Static<typeof ForwardedAnswer>;

/** A browser's or client's request to the identity provider, for the region that keeps what it refers to. */
export const forwardRequest: RegionCall<typeof ForwardedRequest, typeof ForwardedAnswer> = {
  name: "forward-request",
  request: ForwardedRequest,
  reply: ForwardedAnswer,
};

const TokenRecord = Type.Object({
  clientId: Type.String(),
  accountId: Type.String(),
  account: Type.String(),
  audience: Type.String(),
  scopes: Type.Array(Type.String()),
  /** The clocks of two regions may differ. */
  remainingMs: Type.Number(),
  signedInAt: optional(Type.Number()),
  isBound: Type.Boolean(),
});

/** The record of a user's opaque access token, by its digest; absent if the token is not valid. */
export const readTokenRecord = {
  name: "read-token-record",
  request: Type.Object({ digest }),
  reply: Type.Object({ record: optional(TokenRecord) }),
} satisfies RegionCall;

/** The parameters of a pushed authorization request, by the digest of its identifier; absent if it is unknown or expired. */
export const readPushedRequest = {
  name: "read-pushed-request",
  request: Type.Object({ digest }),
  reply: Type.Object({
    found: optional(
      Type.Object({ payload: Type.Record(Type.String(), Type.Unknown()), remainingSeconds: Type.Number() }),
    ),
  }),
} satisfies RegionCall;

/** Uses a pushed authorization request up. */
export const consumePushedRequest = {
  name: "consume-pushed-request",
  request: Type.Object({ digest }),
  reply: Type.Object({ isConsumed: Type.Boolean() }),
} satisfies RegionCall;

/** A client that registered itself; absent if it is unknown. `isUsed`: a token is about to be issued, which extends the registration. */
export const readRegistration = {
  name: "read-registration",
  request: Type.Object({ id: text(128), isUsed: Type.Boolean() }),
  reply: Type.Object({ registration: optional(Type.Record(Type.String(), Type.Unknown())) }),
} satisfies RegionCall;

/** Uses up a code of the help desk, if this region issued it. */
export const redeemLostPhoneCode = {
  name: "redeem-lost-phone-code",
  request: Type.Object({ account: text(1024), code: text(64), flowId: text(128) }),
  reply: Type.Object({
    outcome: Type.Union([Type.Literal("redeemed"), Type.Literal("repeated"), Type.Literal("wrong")]),
  }),
} satisfies RegionCall;

/** Uses up a code of a second factor: a time step of an authenticator app, or a recovery code. The same sign-in may do so again. */
export const claimFactorCode = {
  name: "claim-factor-code",
  request: Type.Object({
    kind: Type.Union([Type.Literal("totp"), Type.Literal("recovery")]),
    digest,
    /** Of the authenticator app. */
    step: optional(Type.Integer({ minimum: 0 })),
    /** A recovery code that is claimed turns out right or wrong afterwards. */
    move: optional(Type.Union([Type.Literal("claim"), Type.Literal("use"), Type.Literal("release")])),
    /** Digest of the sign-in. */
    user: digest,
  }),
  reply: Type.Object({ outcome: Type.Union([Type.Literal("claimed"), Type.Literal("pending"), Type.Literal("used")]) }),
} satisfies RegionCall;

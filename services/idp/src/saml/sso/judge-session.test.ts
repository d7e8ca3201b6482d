import { expect, test } from "vitest";
import { defaultLevels } from "../../second-factors/factor-levels.ts";
import type { SignInDemands } from "../../second-factors/sign-in-demands.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import { contextClasses } from "../protocol/names.ts";
import { judgeSession } from "./judge-session.ts";
import type { PendingRequest } from "./pending-requests-redis.ts";

const nowSeconds = 10_000;
const none: SignInDemands = { methods: [], supported: [], level: 0, levels: defaultLevels, freshSeconds: 0 };
const totp: SignInDemands = { ...none, level: 2 };

const password: BrowserSessionRecord = {
  uid: "s1",
  sid: "cookie",
  accountId: "alice",
  account: "alice",
  loginTs: nowSeconds,
  acr: "pwd",
  amr: ["pwd"],
  remember: false,
  iat: nowSeconds,
  exp: nowSeconds + 3600,
  authorizations: {},
};
const twoFactors: BrowserSessionRecord = { ...password, acr: "mfa", amr: ["pwd", "otp", "mfa"], mfaTs: nowSeconds };
const plain: PendingRequest = {
  entityId: "urn:sp",
  requestId: "_1",
  acsUrl: "https://sp.test/acs",
  isPassive: false,
  forceAuthn: false,
  hasAsked: false,
};
const mfaWanted = { requestedContext: { comparison: "exact", classes: [contextClasses.refedsMfa] } } as const;
const foreign = { requestedContext: { comparison: "exact", classes: ["urn:smartcard"] } } as const;

type Row = readonly [
  what: string,
  session: BrowserSessionRecord | undefined,
  request: Partial<PendingRequest>,
  demands: SignInDemands,
  judgement: string,
];
const rows: readonly Row[] = [
  ["a session, if any session is sufficient", password, {}, none, "fits"],
  ["no session", undefined, {}, none, "sign_in"],
  ["no session, and a passive request", undefined, { isPassive: true }, none, "no_passive"],
  ["an earlier session, if a new sign-in is required", password, { forceAuthn: true }, none, "sign_in"],
  ["the session that was created for this request", password, { forceAuthn: true, signedInUid: "s1" }, none, "fits"],
  [
    "a session other than the one created for this request",
    password,
    { forceAuthn: true, signedInUid: "s2" },
    none,
    "sign_in",
  ],
  ["a password, if the request requires a second factor", password, mfaWanted, none, "sign_in"],
  ["two factors, if the request requires them", twoFactors, mfaWanted, none, "fits"],
  [
    "a password, if the request requires a second factor and the user was already asked to sign in",
    password,
    { ...mfaWanted, hasAsked: true },
    none,
    "no_context",
  ],
  [
    "a password, if a passive request requires a second factor",
    password,
    { ...mfaWanted, isPassive: true },
    none,
    "no_passive",
  ],
  ["two factors, if the request requires an unknown context", twoFactors, foreign, none, "no_context"],
  ["a password, if the request requires an unknown context", password, foreign, none, "no_context"],
  ["a password, if the service provider requires a second factor", password, {}, totp, "sign_in"],
  [
    "a password, if the service provider requires a second factor and the user was already asked to sign in",
    password,
    { hasAsked: true },
    totp,
    "no_context",
  ],
  ["two factors, if the service provider requires a second factor", twoFactors, {}, totp, "fits"],
  [
    "a second factor that is no longer fresh",
    { ...twoFactors, mfaTs: nowSeconds - 61 },
    {},
    { ...totp, freshSeconds: 60 },
    "sign_in",
  ],
];

test.each(rows)("%s", (_what, session, request, demands, judgement) => {
  const rules = { demands, nowSeconds, isForOthers: false };
  expect(judgeSession(session, { ...plain, ...request }, rules).judgement).toBe(judgement);
});

test.each([
  [false, { judgement: "sign_in", reasons: ["other_domain"] }],
  [true, { judgement: "no_passive" }],
])(
  "an account of another domain must be replaced, also one that has just signed in; passive: %s",
  (isPassive, expected) => {
    const rules = { demands: none, nowSeconds, isForOthers: true };
    expect(judgeSession(password, { ...plain, isPassive, hasAsked: true }, rules)).toEqual(expected);
  },
);

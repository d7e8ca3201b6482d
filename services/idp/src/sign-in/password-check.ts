import type { AuthDecision, AuthRequest } from "@postern/shared/contracts";
import type { Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import type { PendingSignIn } from "../flow/flow-record.ts";
import { type FlowKind, protocolOfFlow } from "../flow/flow-table.ts";
import type { EngineCall } from "../visit/visit.ts";

export interface PasswordAttempt {
  readonly username: string;
  readonly password: Secret;
  readonly kind: FlowKind;
  /** The OIDC client or service provider that the sign-in is for. */
  readonly clientId: string | undefined;
  readonly clientIp: string;
  readonly userAgent: string | undefined;
  readonly acceptLanguage: string | undefined;
  /** Digest of the browser's device cookie; empty if it has none. */
  readonly device: string;
  /** The application has `delayed_response`. */
  readonly hidesOutcome: boolean;
}

export interface PasswordAccepted {
  readonly outcome: "ok";
  readonly account: string;
  /** The account data that a pending sign-in stores. */
  readonly user: Omit<PendingSignIn, "shownAs" | "remember" | "passwordTs" | "methods" | "missing">;
  /** How long to delay the response, in milliseconds. */
  readonly holdMs: number;
}

export interface PasswordDenial {
  readonly outcome: "denied";
  /** For logs: the engine's reason; `blocked` for a banned network. */
  readonly reason: string;
  /** For logs: the brute-force rule of that ban. */
  readonly rule?: string | undefined;
  /** For logs: the account, if a backend has it. */
  readonly account?: string | undefined;
  /** The message of a policy, if any. */
  readonly message: string | undefined;
  /**
   * The user's network is banned. Says neither whether it was before this attempt nor whether the password was correct.
   */
  readonly isBlocked: boolean;
  /** The password is correct, and must be changed before it signs in. */
  readonly mustChangePassword?: boolean | undefined;
  /** Time until that ban expires; absent in replies of older engines. */
  readonly retryAfterSeconds?: number | undefined;
  /** How long to delay the response, in milliseconds. */
  readonly holdMs: number;
}

/** The engine replied with a temporary failure; `engineCode` is its error code. */
export class EngineUndecided extends AppError {
  readonly engineCode: string;

  constructor(engineCode: string) {
    super("UPSTREAM_UNAVAILABLE", { detail: `the engine reported a temporary failure: ${engineCode}` });
    this.engineCode = engineCode;
  }
}

export type PasswordOutcome = PasswordAccepted | PasswordDenial;

function lookupRequest(attempt: Omit<PasswordAttempt, "password">, session: string, tls: boolean): AuthRequest {
  const { username, kind, clientId, clientIp, userAgent, acceptLanguage, device, hidesOutcome } = attempt;
  return {
    session,
    operation: "lookup",
    dialect: "idp",
    username,
    protocol: protocolOfFlow[kind],
    tls,
    // A session lasts longer than a cached result.
    memoryCache: false,
    sharedCache: false,
    ...(clientIp === "" ? {} : { clientIp }),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(acceptLanguage === undefined ? {} : { acceptLanguage }),
    ...(clientId === undefined ? {} : { oidcClientId: clientId }),
    ...(device === "" ? {} : { device }),
    ...(hidesOutcome ? { hidesOutcome } : {}),
  };
}

type Decided = Extract<AuthDecision, { outcome: "ok" }>;

/** What a backend said of the account beside its name, and what engines think of the sign-in. */
function optionalDataOf({ groups, groupDns, passwordWarning, risk }: Decided) {
  return {
    ...(risk !== undefined && risk.level !== "ordinary" && { isSuspicious: true }),
    ...(groups !== undefined && { groups }),
    ...(groupDns !== undefined && { groupDns }),
    ...(passwordWarning !== undefined && { passwordWarning }),
  };
}

function acceptedOf(decision: Decided): PasswordAccepted {
  const { account, uniqueUserId, attributes, backend, holdMs = 0 } = decision;
  const { displayName = attributes["displayName"]?.[0] } = decision;
  const user = {
    account,
    attributes,
    backend,
    ...(uniqueUserId !== undefined && { uniqueUserId }),
    ...(displayName !== undefined && { displayName }),
    ...optionalDataOf(decision),
  };
  return { outcome: "ok", account, user, holdMs };
}

function outcomeOf(decision: AuthDecision): PasswordOutcome {
  switch (decision.outcome) {
    case "ok":
      return acceptedOf(decision);
    case "fail": {
      const { reason, message, account, mustChangePassword, retryAfterSeconds, holdMs = 0 } = decision;
      return {
        outcome: "denied",
        reason,
        message,
        account,
        mustChangePassword,
        isBlocked: retryAfterSeconds !== undefined,
        retryAfterSeconds,
        holdMs,
      };
    }
    case "blocked": {
      const { rule, message, retryAfterSeconds } = decision;
      return { outcome: "denied", reason: "blocked", rule, message, isBlocked: true, retryAfterSeconds, holdMs: 0 };
    }
    case "tempfail":
      throw new EngineUndecided(decision.code);
  }
}

type Decide = (request: AuthRequest, context: Pick<EngineCall, "deadline" | "signal">) => Promise<AuthDecision>;

/** The calls that only an engine can answer. Each throws AppError on a temporary failure. */
export function createEngineCalls(decide: Decide, tls: boolean) {
  return {
    /** Asks the engine, which alone verifies passwords. */
    checkPassword: async ({ password, ...attempt }: PasswordAttempt, context: EngineCall): Promise<PasswordOutcome> => {
      const request = lookupRequest(attempt, context.session, tls);
      return outcomeOf(await decide({ ...request, operation: "authenticate", password: password.reveal() }, context));
    },
    /** Looks up the account that a passkey signs in, without a password. */
    lookUp: async (attempt: Omit<PasswordAttempt, "password">, context: EngineCall): Promise<PasswordOutcome> =>
      outcomeOf(await decide(lookupRequest(attempt, context.session, tls), context)),
  };
}

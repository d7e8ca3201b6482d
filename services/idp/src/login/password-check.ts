import type { AuthDecision, AuthRequest } from "@postern/shared/contracts";
import type { Secret } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import type { FlowKind } from "../flow/flow-table.ts";

/** Until when an answer is of use, and of which request it is. */
export interface CallContext {
  readonly session: string;
  /** For the audit stream. */
  readonly clientIp?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

export interface PasswordAttempt {
  readonly username: string;
  readonly password: Secret;
  readonly kind: FlowKind;
  /** The OIDC client or service provider that the sign-in is for. */
  readonly clientId: string | undefined;
  readonly clientIp: string;
  readonly userAgent: string | undefined;
  readonly acceptLanguage: string | undefined;
}

export type PasswordOutcome =
  | {
      readonly outcome: "ok";
      readonly account: string;
      readonly displayName: string | undefined;
      readonly attributes: Readonly<Record<string, readonly string[]>>;
      readonly backend: number;
    }
  /** A policy's own sentence, or none. */
  | { readonly outcome: "denied"; readonly message: string | undefined };

/** Asks the engine, which alone checks passwords. @throws AppError when nobody could decide */
export type CheckPassword = (attempt: PasswordAttempt, context: CallContext) => Promise<PasswordOutcome>;

/** Who a passkey signs in: as a directory knows the account now, without a password. */
export type LookUpAccount = (
  attempt: Omit<PasswordAttempt, "password">,
  context: CallContext,
) => Promise<PasswordOutcome>;

const protocols = { oidc: "oidc", device: "oidc", saml: "saml", self_service: "idp" } as const;

export interface PasswordCheckDeps {
  readonly decide: (request: AuthRequest, context: Pick<CallContext, "deadline" | "signal">) => Promise<AuthDecision>;
  readonly tls: boolean;
}

function questionOf(attempt: Omit<PasswordAttempt, "password">, session: string, tls: boolean): AuthRequest {
  const { username, kind, clientId, clientIp, userAgent, acceptLanguage } = attempt;
  return {
    session,
    operation: "lookup",
    dialect: "idp",
    username,
    protocol: protocols[kind],
    tls,
    // A session outlives what a cache remembers.
    memoryCache: false,
    sharedCache: false,
    ...(clientIp === "" ? {} : { clientIp }),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(acceptLanguage === undefined ? {} : { acceptLanguage }),
    ...(clientId === undefined ? {} : { oidcClientId: clientId }),
  };
}

function outcomeOf(decision: AuthDecision): PasswordOutcome {
  switch (decision.outcome) {
    case "ok": {
      const { account, attributes, backend } = decision;
      const displayName = attributes["displayName"]?.[0];
      return { outcome: "ok", account, displayName, attributes, backend };
    }
    case "fail":
    case "blocked":
      return { outcome: "denied", message: decision.message };
    case "tempfail":
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `the engine could not decide: ${decision.code}` });
  }
}

export function createPasswordCheck({ decide, tls }: PasswordCheckDeps): CheckPassword {
  return async ({ password, ...attempt }, context) => {
    const question = questionOf(attempt, context.session, tls);
    return outcomeOf(await decide({ ...question, operation: "authenticate", password: password.reveal() }, context));
  };
}

export function createLookUpAccount({ decide, tls }: PasswordCheckDeps): LookUpAccount {
  return async (attempt, context) => outcomeOf(await decide(questionOf(attempt, context.session, tls), context));
}

import type {
  AuthDecision,
  AuthRequest,
  LostPhoneCode,
  MfaTarget,
  mfaFactorsRead,
  notifyLostPhone,
  Reply,
  Request,
} from "@postern/shared/contracts";
import { foldedName } from "@postern/shared/domain/brute-force";
import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { LostPhoneCodes } from "@postern/shared/domain/lost-phone";
import type { Suspensions } from "@postern/shared/domain/suspensions";
import { AppError } from "@postern/shared/platform/errors";
import type { ReadRight } from "../operators/operator-right.ts";
import { freshLookup } from "../operators/role-lookup.ts";

/** Why there is no code, as the API says it. */
export const refusals = {
  disabled: "identity.mfa.lost_phone.enabled is false",
  unknown: "username: must be the name of one account that may sign in",
  operator: "operators cannot get a code: ask an operator with the role admin to remove the second factor",
  suspended: "the account is suspended",
  doubted: "a suspicious sign-in of the account is unanswered: someone else may have its password",
  no_factor: "the account has no second factor, so its password is enough",
  unreachable: "the user has no address at which to be notified",
} as const;

export type Refusal = keyof typeof refusals;

export interface LostPhoneDeps {
  /** Undefined while the site does not offer them. */
  readonly codes: Pick<LostPhoneCodes, "issue"> | undefined;
  /** Accounts as the sign-in pages name them. */
  readonly accountNames: FindAccountNames;
  readonly decide: (request: AuthRequest) => Promise<AuthDecision>;
  readonly readFactors: (target: MfaTarget) => Promise<Reply<typeof mfaFactorsRead>>;
  /** Resolves once the notification is stored. */
  readonly notify: (notification: Request<typeof notifyLostPhone>) => Promise<Reply<typeof notifyLostPhone>>;
  readonly readRight: ReadRight;
  readonly suspensions: Pick<Suspensions, "read">;
  /** Whether someone else may have the password of an account. */
  readonly isDoubted: (account: string) => Promise<boolean>;
}

const undecided = (detail: string) => new AppError("UPSTREAM_UNAVAILABLE", { detail });

function createLookUp({ decide }: LostPhoneDeps) {
  return async (username: string, session: string) => {
    const decision = await decide(freshLookup(username, session));
    if (decision.outcome === "tempfail") throw undecided(`the account could not be looked up: ${decision.code}`);
    return decision.outcome === "ok" ? decision : undefined;
  };
}

/** @throws AppError if it cannot be decided whether the account may get a code */
function createJudge(deps: LostPhoneDeps) {
  const { accountNames, readFactors, readRight, suspensions, isDoubted } = deps;
  const lookUp = createLookUp(deps);
  const isOperator = async (account: string, session: string): Promise<boolean> => {
    // Facts are stored under folded names, which another account of an exact backend may have.
    const known = await Promise.all([...new Set([account, foldedName(account)])].map((name) => lookUp(name, session)));
    const rights = await Promise.all(known.map(async (one) => one && readRight(one)));
    return rights.some((right) => right !== undefined);
  };
  const hasFactor = async (username: string, session: string): Promise<boolean> => {
    const factors = await readFactors({ session, username });
    return factors.outcome === "ok" && (factors.hasTotp || factors.webauthnCredentials.length > 0);
  };
  return async (username: string, session: string) => {
    const { accounts, isComplete } = await accountNames(username);
    if (!isComplete) throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the account could not be looked up" });
    const [account, ...others] = accounts;
    const known = account === undefined || others.length > 0 ? undefined : await lookUp(account, session);
    if (account === undefined || known === undefined) return "unknown" as const;
    if (await isOperator(account, session)) return "operator" as const;
    if ((await suspensions.read(account)) !== undefined) return "suspended" as const;
    if (await isDoubted(account)) return "doubted" as const;
    if (!(await hasFactor(account, session))) return "no_factor" as const;
    return { account, attributes: known.attributes };
  };
}

/** Codes with which users who lost the second factor sign in once. Both throw an AppError on a temporary failure. */
export function createLostPhone(deps: LostPhoneDeps) {
  const { codes, notify } = deps;
  const judge = createJudge(deps);
  return {
    /** Whether an account could get a code now. Whether the user can be notified shows when it is created. */
    judgeLostPhone: async (username: string, session: string): Promise<"possible" | Refusal> => {
      if (codes === undefined) return "disabled";
      const judged = await judge(username, session);
      return typeof judged === "string" ? judged : "possible";
    },
    /** The user is notified first: without the notification, there is no code. */
    createLostPhoneCode: async (username: string, session: string): Promise<LostPhoneCode | Refusal> => {
      if (codes === undefined) return "disabled";
      const judged = await judge(username, session);
      if (typeof judged === "string") return judged;
      const { account, attributes } = judged;
      if (!(await notify({ account, session, attributes })).isSent) return "unreachable";
      const { code, expiresMs } = await codes.issue(account);
      return { account, code, expires: new Date(expiresMs).toISOString() };
    },
  };
}

export type LostPhone = ReturnType<typeof createLostPhone>;

import type { Enrolments } from "@postern/shared/domain/enrolments";
import type { Invitations } from "./invitations-redis.ts";

/** With what an operator has signed in. */
export interface OperatorProof {
  /** The record of the second factor with which the session at the identity provider began; empty if it began without. */
  readonly factor: string | undefined;
  /** What the operator typed; empty if nothing. */
  readonly invitation: string;
}

/** Whether the second factor shows that it is the operator. Undefined if it does. @throws AppError REDIS_UNAVAILABLE */
export type Admit = (account: string, proof: OperatorProof) => Promise<"new_factor" | "unproven" | "code" | undefined>;

/**
 * An attacker with the password of an operator without a second factor can set one up. So one is accepted only if it was set up with another
 * one, with an invitation, before enrolments were recorded, or through the management interface.
 */
export function createAdmit({
  enrolments,
  invitations,
}: {
  readonly enrolments: Pick<Enrolments, "find" | "vouch">;
  readonly invitations: Pick<Invitations, "redeem">;
}): Admit {
  return async (account, { factor, invitation }) => {
    // The previous version of the identity provider does not say it.
    if (factor === undefined) return undefined;
    if (factor === "") return "new_factor";
    const { isVouched, isDoubted } = await enrolments.find(account, factor);
    if (isVouched && !isDoubted) return undefined;
    if (invitation === "") return "unproven";
    if (!(await invitations.redeem(account, invitation))) return "code";
    await enrolments.vouch(account, factor);
    return undefined;
  };
}

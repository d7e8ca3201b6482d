import type { OperatorProofs } from "./context.ts";

/** With what an operator has signed in. */
interface OperatorProof {
  /** The record of the second factor with which the session at the identity provider began; empty if it began without. */
  readonly factor: string | undefined;
  /** What the operator typed; empty if nothing. */
  readonly invitation: string;
}

/**
 * An attacker with the password of an operator without a second factor can set one up. So one is accepted only if it was set up with another
 * one, with an invitation, before enrolments were recorded, or through the management interface.
 */
export function createAdmit({ enrolments, invitations }: Pick<OperatorProofs, "enrolments" | "invitations">) {
  /** Whether the second factor shows that it is the operator. Undefined if it does. @throws AppError REDIS_UNAVAILABLE */
  return async (account: string, { factor, invitation }: OperatorProof) => {
    // The previous version of the identity provider does not say it.
    if (factor === undefined) return undefined;
    if (factor === "") return "new_factor" as const;
    const { isVouched, isDoubted } = await enrolments.find(account, factor);
    if (isVouched && !isDoubted) return undefined;
    if (invitation === "") return "unproven" as const;
    if (!(await invitations.redeem(account, invitation))) return "code" as const;
    await enrolments.vouch(account, factor);
    return undefined;
  };
}

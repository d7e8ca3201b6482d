import type { AuthDecision } from "@postern/shared/contracts";
import { type Attempt, tokenMechanism } from "../pipeline/attempt.ts";
import { type AccountFacts, denial, type Step } from "../pipeline/step.ts";
import { appPasswordDigest } from "../second-factors/app-passwords.ts";

/** Why a domain's rules refuse, for logs. */
type Rule = "disabled" | "protocol" | "credential" | "master_user";

function refusal(detail: Rule, message = ""): AuthDecision {
  return { ...denial("domain"), detail, ...(message !== "" && { message }) };
}

/**
 * Refuses what the rules of the account's domain exclude, before any backend is queried. Names of unknown domains pass: they are denied
 * where unknown users are.
 */
export const refuseDomain: Step<AccountFacts, object> = {
  name: "refuse-domain",
  run: ({ operation, protocol, domain, isForeignMaster }) => {
    if (domain === undefined) return undefined;
    if (isForeignMaster === true) return refusal("master_user");
    if (!domain.isKnown) return undefined;
    if (!domain.isEnabled) return refusal("disabled", domain.message);
    if (operation !== "authenticate" || domain.protocols.size === 0 || domain.protocols.has(protocol)) return undefined;
    return refusal("protocol");
  },
};

/** Sign-in pages and the JWT endpoints verify the account's own password, whatever mail programs use. */
const otherDialects: ReadonlySet<Attempt["dialect"]> = new Set(["idp", "jwt"]);

/** Refuses passwords that the account's domain does not accept from mail programs. Runs after tokens and master users. */
export const refuseMailPassword: Step<AccountFacts, object> = {
  name: "refuse-mail-password",
  run: ({ operation, dialect, domain, method, password }) => {
    if (domain?.isKnown !== true || domain.mailCredentials === "any" || operation !== "authenticate") return undefined;
    if (otherDialects.has(dialect) || tokenMechanism(method) !== undefined) return undefined;
    const isAccepted =
      domain.mailCredentials === "app_passwords" &&
      password !== undefined &&
      appPasswordDigest(password.reveal()) !== undefined;
    return isAccepted ? undefined : refusal("credential");
  },
};

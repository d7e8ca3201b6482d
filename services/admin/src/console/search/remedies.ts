const remedies: Readonly<Record<string, string>> = {
  wrong_password: "Have the customer check the password in every program; postern flush removes cached results.",
  risk: "Ask the customer whether they signed in from there. If so, postern flush ends the refusal; if not, the password must be changed.",
  factor_locked: "To unlock the second factors: postern unlock ACCOUNT",
  account_disabled:
    "The account has to be enabled in its backend, or its password changed: detail in the log line says which.",
  unknown_user: "Ask the customer how the name is spelled.",
};

/** What helps after a sign-in that failed for this reason. Undefined if nothing is to be done. */
export function remedyOf(reason: string | undefined, account: string | undefined): string | undefined {
  return remedies[reason ?? ""]?.replace("ACCOUNT", () => account ?? "ACCOUNT");
}

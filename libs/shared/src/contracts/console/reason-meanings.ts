/** What the reasons of failed sign-ins mean, in a clause for operators. */
export const reasonMeanings: Readonly<Record<string, string>> = {
  wrong_password: "the password was wrong",
  remote_denied:
    "the other server that was asked denied the sign-in: the password was wrong, the name unknown, or a ban in force there",
  password_unverifiable:
    "the stored password of the account cannot be verified: its scheme is unknown, or it is damaged",
  wrong_password_before: "the second factor was correct, but the password before it was wrong",
  unknown_user: "no backend has an account of this name",
  account_disabled: "the account is disabled or locked, or its password must be changed",
  account_suspended: "the password or other credential was correct, but an operator has suspended the account",
  empty_password: "the password was empty",
  empty_username: "the user name was empty",
  bad_token: "the access token was not accepted",
  method_not_enabled: "this way to sign in is not enabled",
  unknown_relay_domain: "the domain of the name is not served here",
  domain: "the record of its domain excludes the sign-in",
  rbl: "the address is on a block list",
  policy: "a policy denied the sign-in",
  risk: "the password was correct, but the sign-in looked like one with a stolen password",
  script: "a script denied the sign-in",
  wrong_code: "the code was wrong or had been used before",
  unknown_passkey: "no account holds the passkey",
  wrong_signature: "the signature of the passkey was wrong",
  malformed_answer: "the browser sent an invalid passkey response",
  factor_not_accepted: "the application does not accept this factor",
  too_many_attempts: "there were too many attempts at the second factor of the account",
  factor_locked: "this second factor is locked after too many consecutive wrong codes",
  account_throttled:
    "the account had too many attempts at its second factor; the page of this application does not say so",
  no_usable_factor: "the application accepts none of the second factors of the account",
  expired: "the sign-in took too long or was completed in another tab",
};

/** SASL mechanisms whose secret is an access token: RFC 7628, and its predecessor. */
export type TokenMechanism = "oauthbearer" | "xoauth2";

/** The mechanism of a request's `method`, in any case; undefined for methods with a password. */
export function tokenMechanism(method: string | undefined): TokenMechanism | undefined {
  const name = method?.trim().toLowerCase();
  return name === "oauthbearer" || name === "xoauth2" ? name : undefined;
}

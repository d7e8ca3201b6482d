import { duration, entries, integer, secret, section, text } from "./fields.ts";

export const longestTokenLife = 24 * 60 * 60 * 1000;
export const longestLife = 3650 * 24 * 60 * 60 * 1000;

const InitialToken = section("A token that permits registrations (RFC 7591, section 3).", {
  name: text("Name of the token, for the log.", { maxLength: 64 }),
  token: secret("The token.", { minLength: 20 }),
});

export const initialTokens = (description: string) => entries(description, InitialToken);

/** Bounds of registrations, whatever they permit. */
export const registrationLimits = (defaults: { readonly pending: string; readonly registrations: number }) => ({
  pending_ttl: duration(
    defaults.pending,
    "Time after which a registration with which no user has signed in is deleted.",
    { minimum: 60_000, maximum: longestTokenLife },
  ),
  unused_ttl: duration(
    "2160h",
    "Time after which a registration is deleted if no token has been issued to it. It must be longer than refresh tokens live.",
    { minimum: 3_600_000, maximum: longestLife },
  ),
  max_registrations: integer(defaults.registrations, "Maximum number of registrations. Further ones are refused.", {
    minimum: 1,
    maximum: 10_000_000,
  }),
  max_pending_per_network: integer(
    50,
    "Maximum number of registrations from one network (an IPv4 address or an IPv6 /64) with which no user has signed in.",
    { minimum: 1, maximum: 100_000 },
  ),
  per_minute: integer(10, "Maximum number of registration requests from one network within a minute.", {
    minimum: 1,
    maximum: 100_000,
  }),
});

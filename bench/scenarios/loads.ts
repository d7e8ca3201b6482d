import type { RequestFormat } from "../generator/wrk.ts";
import { type BodiesOptions } from "../stack/bodies.ts";
import { guarded, ldapBackends, mailTokens, sqlBackends } from "../stack/config.ts";
import type { PosternOptions } from "../stack/postern.ts";
import { serialMark } from "../stack/serial-mark.ts";
import type { Servers } from "../stack/servers.ts";
import { issueTokens } from "../stack/token.ts";
import { ldapUserCount, sqlUserCount, userPassword } from "../stack/users.ts";
import { guesses, notTokens } from "./guarded.ts";
import { lookupQuery } from "./sql.ts";

/** Decisions of one kind, by services of any revision. */
export interface Load {
  readonly postern: Omit<PosternOptions, "servers">;
  readonly bodies: BodiesOptions;
  readonly outcome: "ok" | "fail" | "blocked";
  readonly query?: string;
  readonly perSecond?: number;
}

/** The kinds whose cost has a target as a share of an earlier revision. */
export const comparedLoads = ["cached", "cbor", "wrong", "unknown", "ldap", "lookup", "banned"] as const;
export type ComparedLoad = (typeof comparedLoads)[number];
type LoadName =
  | ComparedLoad
  | "cached-1000"
  | "counted"
  | "counted-sql"
  | "ldap-400"
  | "ldap-counted"
  | "lookup-2-engines";

/** A network is banned by its first failure. */
const strict = {
  buckets: [{ name: "strict", period: "10m", ban_time: "1h", cidr: 32, failed_requests: 1, ipv4: true }],
  tolerate_percent: 0,
};

/** @param file an SQLite database with the users of the bench */
export async function loadsOf({ slapd, folder }: Servers, file: string): Promise<Readonly<Record<LoadName, Load>>> {
  const sql = { backends: sqlBackends(file) };
  const ldap = { backends: ldapBackends(slapd.uri) };
  const cached = { ...sql, protection: guarded("10m") };
  const { issuer, jwksFile } = await issueTokens(folder);
  const sqlUsers = { password: userPassword, users: sqlUserCount };
  const ldapUsers = { password: userPassword, users: ldapUserCount };
  // The delay of accounts under attack would limit the rate.
  const counted = { ...ldap, protection: guarded("10m", { account_delay: { max_delay: "1ms" } }) };
  const ldapGuesses = { ...guesses, users: ldapUserCount };
  const format: RequestFormat = "cbor";
  return {
    cached: { postern: cached, bodies: sqlUsers, outcome: "ok" },
    cbor: { postern: cached, bodies: { ...sqlUsers, format }, outcome: "ok" },
    "cached-1000": { postern: cached, bodies: sqlUsers, outcome: "ok", perSecond: 1000 },
    counted: { postern: { ...cached, auth: mailTokens(issuer, jwksFile) }, bodies: notTokens, outcome: "fail" },
    "counted-sql": { postern: cached, bodies: guesses, outcome: "fail" },
    ldap: { postern: ldap, bodies: ldapUsers, outcome: "ok" },
    "ldap-400": { postern: ldap, bodies: ldapUsers, outcome: "ok", perSecond: 400 },
    "ldap-counted": { postern: counted, bodies: ldapGuesses, outcome: "fail" },
    // Products that keep failures do not answer from them here.
    wrong: { postern: counted, bodies: ldapGuesses, outcome: "fail", query: "?in-memory=0&cache=0" },
    unknown: {
      postern: counted,
      bodies: { ...ldapGuesses, username: () => `nobody-${serialMark}@example.test`, password: "any password" },
      outcome: "fail",
    },
    banned: {
      postern: { ...cached, protection: guarded("10m", strict) },
      bodies: { ...guesses, password: "wrong password" },
      outcome: "blocked",
    },
    lookup: { postern: sql, bodies: sqlUsers, outcome: "ok", query: lookupQuery },
    "lookup-2-engines": { postern: { ...sql, engines: 2 }, bodies: sqlUsers, outcome: "ok", query: lookupQuery },
  };
}

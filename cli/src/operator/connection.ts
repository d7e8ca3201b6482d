import { readFileSync } from "node:fs";
import type { ApiOptions } from "./api.ts";
import type { OwnSite } from "./own-site.ts";

/** Flags for the URL and the credentials. */
export interface ConnectionFlags {
  readonly url?: string | undefined;
  readonly user?: string | undefined;
  readonly "password-file"?: string | undefined;
  readonly "token-file"?: string | undefined;
  readonly timeout?: string | undefined;
  readonly config?: string | undefined;
}

/** The site on this machine whose configuration is this file, or at the usual place. */
export type FindOwnSite = (file: string | undefined) => OwnSite | undefined;

export type Environment = Readonly<Record<string, string | undefined>>;

/** A wrong command line. */
export class UsageError extends Error {}

function firstLine(file: string): string {
  try {
    return readFileSync(file, "utf8").split("\n", 1)[0]?.trimEnd() ?? "";
  } catch {
    throw new UsageError(`${file} cannot be read; check the path and the permissions`);
  }
}

function basicOf(user: string | undefined, password: string | undefined): string | undefined {
  if (user === undefined && password === undefined) return undefined;
  if (user === undefined || password === undefined)
    throw new UsageError(user === undefined ? "--user is missing" : "--password-file is missing");
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** There is no flag for a password, because other users of the machine could read it in the list of processes. */
function authorizationOf(flags: ConnectionFlags, environment: Environment): string | undefined {
  const tokenFile = flags["token-file"];
  const token = tokenFile === undefined ? environment["POSTERN_TOKEN"] : firstLine(tokenFile);
  const user = flags.user ?? environment["POSTERN_USER"];
  const passwordFile = flags["password-file"];
  const password = passwordFile === undefined ? environment["POSTERN_PASSWORD"] : firstLine(passwordFile);
  const wantsBasic = flags.user !== undefined || passwordFile !== undefined;
  if (token !== undefined && token !== "" && !wantsBasic) return `Bearer ${token}`;
  return basicOf(user, password);
}

/** @throws UsageError */
function timeoutOf({ timeout = "30" }: ConnectionFlags): number {
  const seconds = Number(timeout);
  if (!(seconds > 0 && seconds <= 3600)) throw new UsageError("invalid --timeout: use 1 to 3600 seconds");
  return seconds * 1000;
}

/**
 * Flags take precedence over variables, and both over the site of this machine, whose credentials are sent to that site only.
 *
 * @throws UsageError
 */
export function connectionOf(flags: ConnectionFlags, environment: Environment, findOwnSite: FindOwnSite): ApiOptions {
  const other = flags.url ?? environment["POSTERN_URL"];
  const site = other === undefined ? findOwnSite(flags.config) : undefined;
  const url = other ?? site?.url ?? "http://127.0.0.1:9080";
  if (!URL.canParse(url) || !/^https?:$/u.test(new URL(url).protocol))
    throw new UsageError(`${url} is not an http or https URL`);
  return {
    url: url.replace(/\/+$/u, ""),
    authorization: authorizationOf(flags, environment) ?? site?.authorization,
    timeoutMs: timeoutOf(flags),
  };
}

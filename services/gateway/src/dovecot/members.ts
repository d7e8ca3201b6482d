import { createHash } from "node:crypto";
import { maxUserNameLength } from "@postern/shared/contracts";
import { malformed } from "../dialects/request-error.ts";

/** The members of a body that the protocol knows; the others are ignored. */
const knownMembers: ReadonlySet<string> = new Set([
  "login",
  "remote",
  "pwhash",
  "protocol",
  "device_id",
  "session_id",
  "mech",
  "tls",
  "attrs",
  "success",
  "policy_reject",
  "fail_type",
  "ip",
]);

/** Limits of texts that clients choose. A longer text is cut, because a rejected request would let the sign-in proceed. */
const maxText = 1024;
const maxAttributes = 32;
const maxAttributeName = 64;
const maxValues = 16;

export type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function unknownMembers(members: Members): readonly string[] {
  return Object.keys(members).filter((name) => !knownMembers.has(name));
}

function memberOf(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? (members[name] ?? undefined) : undefined;
}

/** A text of at most `length` UTF-16 code units; undefined if it is absent or empty. */
export function readText(members: Members, name: string, length = maxText): string | undefined {
  const value = memberOf(members, name);
  if (value === undefined || value === "") return undefined;
  if (typeof value !== "string") throw malformed(`${name} must be a string`);
  // The bus carries UTF-8.
  return value.slice(0, length).toWellFormed();
}

/**
 * The user name without surrounding spaces. A name that no account can have is replaced with its digest, so that it is
 * counted and not stored. Undefined if it is absent.
 */
export function readLogin(members: Members): string | undefined {
  const value = memberOf(members, "login");
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw malformed("login must be a string");
  const name = value.toWellFormed().trim();
  if (name.length <= maxUserNameLength) return name;
  return `sha256:${createHash("sha256").update(name).digest("hex")}`;
}

export function readFlag(members: Members, name: string): boolean | undefined {
  const value = memberOf(members, name);
  if (value === undefined) return undefined;
  if (typeof value !== "boolean") throw malformed(`${name} must be true or false`);
  return value;
}

function valuesOf(value: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values
    .filter((one) => typeof one === "string")
    .slice(0, maxValues)
    .map((one) => one.slice(0, maxText).toWellFormed());
}

/** The attributes with texts; undefined without any. */
export function readAttributes(members: Members): Record<string, string[]> | undefined {
  const value = memberOf(members, "attrs");
  if (value === undefined) return undefined;
  if (!isMembers(value)) throw malformed("attrs must be an object");
  const named = Object.entries(value)
    .filter(([name]) => name.length <= maxAttributeName && name !== "__proto__")
    .map(([name, one]) => [name.toWellFormed(), valuesOf(one)] as const)
    .filter(([, values]) => values.length > 0)
    .slice(0, maxAttributes);
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

import { AppError } from "@postern/shared/errors";
import type { Entry } from "ldapts";
import type { DirectoryAccount } from "../directory.ts";

export interface AttributeMapping {
  readonly accountField: string;
  readonly totpSecretField: string;
  readonly attributes: readonly string[];
}

type RawValue = Entry[string] | undefined;

/** Text values in the server's order; binary values are left out, as no dialect can carry them. */
function textValues(raw: RawValue): readonly string[] {
  if (typeof raw === "string") return [raw];
  if (!Array.isArray(raw)) return [];
  return raw.filter((value) => typeof value === "string");
}

/** Attribute names are case-insensitive (RFC 4512 section 2.5), and a server may answer in a spelling of its own. */
export function findValues(entry: Entry, name: string): readonly string[] {
  if (name.toLowerCase() === "dn") return [entry.dn];
  const exact = textValues(entry[name]);
  if (exact.length > 0) return exact;
  const wanted = name.toLowerCase();
  const key = Object.keys(entry).find((key) => key !== name && key.toLowerCase() === wanted);
  return key === undefined ? [] : textValues(entry[key]);
}

/** What to ask the server for: no more than will be used. */
export function attributesToRequest(
  { accountField, attributes }: AttributeMapping,
  more: readonly string[] = [],
): string[] {
  const names = new Set([accountField, ...attributes, ...more].filter((name) => name.toLowerCase() !== "dn"));
  return names.size === 0 ? ["1.1"] : [...names];
}

/** The entry's account name, by which its user is known; undefined when it has none. */
export function accountName(entry: Entry, accountField: string): string | undefined {
  const [account] = findValues(entry, accountField);
  return account === "" ? undefined : account;
}

/** Throws `DIRECTORY_DATA` when the entry has no account name: nobody can say who this is. */
export function toDirectoryAccount(entry: Entry, mapping: AttributeMapping): DirectoryAccount {
  const account = accountName(entry, mapping.accountField);
  if (account === undefined) {
    throw new AppError("DIRECTORY_DATA", { detail: `LDAP entry ${entry.dn} has no ${mapping.accountField}` });
  }
  const attributes: [string, readonly string[]][] = [];
  for (const name of mapping.attributes) {
    const values = findValues(entry, name);
    if (values.length > 0) attributes.push([name, values]);
  }
  return {
    account,
    accountField: mapping.accountField,
    totpSecretField: mapping.totpSecretField,
    attributes: Object.fromEntries(attributes),
  };
}

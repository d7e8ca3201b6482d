import { AppError } from "@postern/shared/platform/errors";
import type { Entry } from "ldapts";
import type { BackendAccount } from "../backend.ts";

export interface AttributeMapping {
  readonly accountField: string;
  /** Attribute with the identifier that survives renames; empty if none is mapped. */
  readonly uniqueUserIdField: string;
  readonly totpSecretField: string;
  /** Attribute with the display name; empty if none is mapped. */
  readonly displayNameField: string;
  readonly attributes: readonly string[];
}

type RawValue = Entry[string] | undefined;

/** Text values in the server's order. Binary values are omitted, because no dialect can carry them. */
function textValues(raw: RawValue): readonly string[] {
  if (typeof raw === "string") return [raw];
  if (!Array.isArray(raw)) return [];
  return raw.filter((value) => typeof value === "string");
}

/** Attribute names are case-insensitive (RFC 4512 section 2.5), and servers may answer in another spelling. */
export function findValues(entry: Entry, name: string): readonly string[] {
  if (name.toLowerCase() === "dn") return [entry.dn];
  const exact = textValues(entry[name]);
  if (exact.length > 0) return exact;
  const wanted = name.toLowerCase();
  const key = Object.keys(entry).find((key) => key !== name && key.toLowerCase() === wanted);
  return key === undefined ? [] : textValues(entry[key]);
}

/** The attributes to request: only those that are used. */
export function attributesToRequest(
  { accountField, uniqueUserIdField, displayNameField, attributes }: AttributeMapping,
  more: readonly string[] = [],
): string[] {
  const mapped = [accountField, uniqueUserIdField, displayNameField].filter((name) => name !== "");
  const names = new Set([...mapped, ...attributes, ...more].filter((name) => name.toLowerCase() !== "dn"));
  return names.size === 0 ? ["1.1"] : [...names];
}

/** The entry's account name, which identifies its user; undefined if it has none. */
export function accountName(entry: Entry, accountField: string): string | undefined {
  const [account] = findValues(entry, accountField);
  return account === "" ? undefined : account;
}

/** Identifiers that servers store as bytes: read as text, different ones could look the same. */
const binaryIdentifiers: readonly string[] = ["objectGUID", "objectSid", "GUID"];

/** The mapped identifier if it is binary, in the spelling of the server's answers. */
export function binaryAttributes({ uniqueUserIdField }: Pick<AttributeMapping, "uniqueUserIdField">): string[] {
  return binaryIdentifiers.filter((name) => name.toLowerCase() === uniqueUserIdField.toLowerCase());
}

/**
 * The identifier, with binary ones (`objectGUID`) in hexadecimal. Empty for an entry without one, with several (it is
 * unclear which counts), or with one that is not text.
 */
export function uniqueUserId(entry: Entry, field: string): string {
  if (field.toLowerCase() === "dn") return entry.dn;
  const wanted = field.toLowerCase();
  const raw = Object.entries(entry).find(([name]) => name.toLowerCase() === wanted)?.[1];
  const values = Array.isArray(raw) ? raw : raw === undefined ? [] : [raw];
  const [value = ""] = values;
  if (values.length > 1) return "";
  if (typeof value !== "string") return value.toString("hex");
  return value.includes("\uFFFD") ? "" : value;
}

/** Throws `DIRECTORY_DATA` if the entry has no account name. */
export function toBackendAccount(entry: Entry, mapping: AttributeMapping): BackendAccount {
  const account = accountName(entry, mapping.accountField);
  if (account === undefined) {
    throw new AppError("DIRECTORY_DATA", { detail: `LDAP entry ${entry.dn} has no ${mapping.accountField}` });
  }
  const attributes: [string, string[]][] = [];
  for (const name of mapping.attributes) {
    const values = findValues(entry, name);
    if (values.length > 0) attributes.push([name, [...values]]);
  }
  const { uniqueUserIdField: idField, displayNameField: nameField } = mapping;
  const [displayName] = nameField === "" ? [] : findValues(entry, nameField);
  return {
    account,
    ...(displayName === undefined ? {} : { displayName }),
    ...(idField === "" ? {} : { uniqueUserId: uniqueUserId(entry, idField) }),
    accountField: mapping.accountField,
    totpSecretField: mapping.totpSecretField,
    attributes: Object.fromEntries(attributes),
  };
}

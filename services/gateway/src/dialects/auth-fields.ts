import { type AuthRequest, authFields, type TlsDetails } from "@postern/shared/contracts";
import { malformed } from "./request-error.ts";

type Row = (typeof authFields)[keyof typeof authFields];
type Member<Kind> = Extract<Row, { readonly kind: Kind }>["member"];

function membersOf<Kind extends "text" | "tls">(kind: Kind): Readonly<Record<string, Member<Kind>>>;
function membersOf(kind: string) {
  const rows = Object.entries(authFields).filter(([, row]) => row.kind === kind);
  return Object.fromEntries(rows.map(([wireName, { member }]) => [wireName, member]));
}

/** Wire name → member of the request. Every field is a string. */
export const textFields = membersOf("text");

/** Wire name → member of `tlsDetails`. */
export const tlsFields = membersOf("tls");

type Store = (fields: BodyFields, value: string) => void;

function tlsDetailsOf(fields: BodyFields): TlsDetails {
  fields.tlsDetails ??= {};
  return fields.tlsDetails;
}

const stores = new Map<string, Store>();
for (const [wireName, name] of Object.entries(textFields))
  stores.set(wireName, (fields, value) => {
    fields[name] = value;
  });
for (const [wireName, name] of Object.entries(tlsFields))
  stores.set(wireName, (fields, value) => {
    tlsDetailsOf(fields)[name] = value;
  });
// The older name of `ssl_client_verify`, used if that is empty.
stores.set("ssl_verify", (fields, value) => {
  tlsDetailsOf(fields).clientVerify ??= value;
});
const textNames = [...stores.keys()];

export function isFieldName(wireName: string): boolean {
  return Object.hasOwn(authFields, wireName);
}

/** Reads one field of a decoded body; undefined or null if the body does not have it. */
export type FieldReader = (wireName: string) => unknown;

/** The content of a body, before defaults and the facts of the connection are added. */
export type BodyFields = Partial<Pick<AuthRequest, Member<"text"> | "loginAttempt" | "tlsDetails">> & {
  tls: boolean;
};

function readText(read: FieldReader, wireName: string): string | undefined {
  const value = read(wireName);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw malformed(`${wireName} must be a string`);
  if (value.isWellFormed() || wireName === "username") return value;
  // An unpaired surrogate, which JSON can escape, would become U+FFFD on the bus. In a password it is replaced with NUL, so that the
  // password is wrong and counted like any other.
  if (wireName === "password") return value.toWellFormed().replaceAll("\ufffd", "\0");
  throw malformed(`${wireName} is not valid Unicode`);
}

function readLoginAttempt(read: FieldReader): number | undefined {
  const value = read("auth_login_attempt");
  if (value === undefined || value === null || value === "") return undefined;
  const attempt = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof attempt !== "number" || !Number.isSafeInteger(attempt) || attempt < 0) {
    throw malformed("auth_login_attempt must be an integer that is not negative");
  }
  return attempt;
}

/**
 * Reads the known fields; whether an unknown field is rejected depends on the dialect. An empty string means "not given", except for the
 * password, where it is an empty password.
 *
 * @param names the members of the body, so that no other field is looked for
 * @throws AppError REQUEST_MALFORMED with the field in its detail.
 */
export function readAuthFields(read: FieldReader, names: readonly string[] = textNames): BodyFields {
  const fields: BodyFields = { tls: (readText(read, "ssl") ?? "") !== "" };
  for (const wireName of names) {
    const store = stores.get(wireName);
    if (store === undefined) continue;
    const value = readText(read, wireName);
    if (value !== undefined && (value !== "" || wireName === "password")) store(fields, value);
  }
  const loginAttempt = readLoginAttempt(read);
  if (loginAttempt !== undefined) fields.loginAttempt = loginAttempt;
  return fields;
}

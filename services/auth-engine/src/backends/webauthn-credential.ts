import { readCredential } from "@postern/shared/domain/passkeys";
import { parseStrictJson, StrictJsonError } from "@postern/shared/platform/http";
import { Type } from "typebox";
import { Value } from "typebox/value";

/** Standard base64 or base64url, padded or not. A credential id has at most 1023 bytes (WebAuthn §4). */
const base64 = Type.String({ pattern: "^[A-Za-z0-9+/_-]+={0,2}$", maxLength: 8192 });
const orNull = <Schema extends ReturnType<typeof Type.Array | typeof Type.Object>>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]));
const count = Type.Optional(Type.Integer({ minimum: 0, maximum: 4_294_967_295 }));

/** Required members of a credential; further members belong to other products. */
const Credential = Type.Object({
  id: Type.String({ pattern: "^[A-Za-z0-9+/_-]+={0,2}$", maxLength: 1368 }),
  publicKey: base64,
  signCount: count,
  authenticator: orNull(Type.Object({ signCount: count })),
  transport: orNull(Type.Array(Type.String())),
  flags: orNull(Type.Object({})),
  name: Type.Optional(Type.String()),
});

/** The text as strict JSON, because readers differ in which of two equal members counts; or what is wrong with it. */
function strictly(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: parseStrictJson(Buffer.from(text, "utf8")) };
  } catch (error) {
    const isDuplicate = error instanceof StrictJsonError && parsed(text) !== undefined;
    return { problem: isDuplicate ? "the credential has a duplicate member" : "the credential must be a JSON object" };
  }
}

/** Why a new credential could not sign in or must not be stored; undefined for a valid one. */
export function credentialProblem(text: string): string | undefined {
  const read = strictly(text);
  if ("problem" in read) return read.problem;
  const { value } = read;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return "the credential must be a JSON object";
  const [invalid] = Value.Errors(Credential, value).flatMap(({ instancePath }) => instancePath.split("/")[1] ?? []);
  if (invalid !== undefined) return `the credential's ${invalid} is invalid`;
  for (const member of ["id", "publicKey"]) if (!(member in value)) return `the credential has no ${member}`;
  // What the sign-in cannot read would stop the user at a page without a passkey to choose.
  return readCredential(text) === undefined ? "the credential's id or publicKey is invalid" : undefined;
}

/**
 * The `id` of a stored credential as base64url without padding, because writers use both alphabets. Empty for a
 * credential without an id; undefined for anything but a JSON object.
 */
export function webauthnCredentialId(text: string): string | undefined {
  const value = parsed(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const id: unknown = "id" in value ? value.id : "";
  return typeof id === "string" ? id.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "") : "";
}

/** An id, in base64url, as writers spell it in either alphabet; padding follows it. */
export function idSpellings(id: string): readonly string[] {
  return [...new Set([id.replaceAll("-", "+").replaceAll("_", "/"), id])];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

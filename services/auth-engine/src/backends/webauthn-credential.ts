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
  publicKey: Type.Optional(base64),
  signCount: count,
  authenticator: orNull(Type.Object({ signCount: count })),
  transport: orNull(Type.Array(Type.String())),
  flags: orNull(Type.Object({})),
  name: Type.Optional(Type.String()),
});

/** Why a text is not a valid credential; undefined for a valid one. */
export function credentialProblem(text: string): string | undefined {
  const value = parsed(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return "the credential must be a JSON object";
  const [error] = Value.Errors(Credential, value);
  if (error === undefined) return undefined;
  if (!("id" in value)) return "the credential has no id";
  const [member = ""] = error.instancePath.split("/").slice(1);
  return `the credential's ${member} is invalid`;
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

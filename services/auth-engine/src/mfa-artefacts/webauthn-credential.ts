/**
 * The `id` of a stored credential, in one spelling: writers use base64 and base64url. Empty for a credential without
 * one; undefined for what is no JSON object.
 */
export function webauthnCredentialId(text: string): string | undefined {
  const value = parsed(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const id: unknown = "id" in value ? value.id : "";
  return typeof id === "string" ? id.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "") : "";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

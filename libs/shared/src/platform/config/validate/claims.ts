import { messages } from "../messages.ts";
import type { ClaimMappingConfig, OidcClientConfig } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

/** OpenID Connect Core §5.1 defines these claims as JSON booleans and this one as a JSON number. */
const booleanClaims: ReadonlySet<string> = new Set(["email_verified", "phone_number_verified"]);
const numberClaims: ReadonlySet<string> = new Set(["updated_at"]);
/** Claims by which clients and mail servers identify users. */
const userClaims: ReadonlySet<string> = new Set(["sub", "username", "preferred_username", "email", "phone_number"]);
const scalarTypes: ReadonlySet<string> = new Set(["string", "boolean", "integer", "float"]);

function isBoolean({ constant, type }: ClaimMappingConfig): boolean {
  return typeof constant === "boolean" || (type === "boolean" && /^(?:true|false)$/.test(String(constant)));
}

function isNumber({ constant, type }: ClaimMappingConfig): boolean {
  if (typeof constant === "boolean" || String(constant).trim() === "") return false;
  return type === "integer" ? Number.isSafeInteger(Number(constant)) : Number.isFinite(Number(constant));
}

function wrongType(mapping: ClaimMappingConfig): string | undefined {
  const { claim, type } = mapping;
  if (!scalarTypes.has(type)) return messages.notWith(`type ${type}`);
  if (type === "boolean" || booleanClaims.has(claim)) {
    return isBoolean(mapping) ? undefined : messages.mustBe("true or false");
  }
  if ((type === "string" && !numberClaims.has(claim)) || isNumber(mapping)) return undefined;
  return messages.mustBe(type === "integer" ? "a whole number" : "a number");
}

function problemOf(mapping: ClaimMappingConfig): string | undefined {
  const { claim, attribute, from } = mapping;
  if (attribute !== "") return messages.notWith("attribute");
  if (from !== "") return messages.notWith("from");
  return userClaims.has(claim) ? messages.constantUser : wrongType(mapping);
}

/** Constants that a client's mappings release for every user. */
export function validateConstantClaims(client: OidcClientConfig, path: string, { problem }: Judgement): void {
  for (const key of ["id_token_claims", "access_token_claims"] as const) {
    client[key].mappings.forEach((mapping, index) => {
      const found = mapping.constant === "" ? undefined : problemOf(mapping);
      if (found !== undefined) problem(`${path}.${key}.mappings[${index}].constant`, found);
    });
  }
}

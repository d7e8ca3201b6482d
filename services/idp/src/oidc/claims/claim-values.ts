/** A value of a claim. */
export type ClaimValue = string | number | boolean | object;

/** Types that OpenID Connect Core §5.1 fixes, whatever a mapping says. */
const fixedTypes: Readonly<Record<string, readonly [type: string, ...others: string[]]>> = {
  email_verified: ["boolean"],
  phone_number_verified: ["boolean"],
  updated_at: ["time", "integer"],
  address: ["address", "object"],
};

/** The type in which a claim is released: the mapping's, unless the standard defines another one. */
export function claimTypeOf(claim: string, type: string): string {
  const fixed = fixedTypes[claim];
  return fixed === undefined || fixed.includes(type) ? type : fixed[0];
}

function booleanOf(text: string): boolean | undefined {
  if (/^(?:true|yes|on|1)$/i.test(text)) return true;
  return /^(?:false|no|off|0)$/i.test(text) ? false : undefined;
}

function numberOf(text: string, isInteger: boolean): number | undefined {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) && (!isInteger || Number.isSafeInteger(value)) ? value : undefined;
}

/** LDAP's GeneralizedTime in UTC (RFC 4517 §3.3.13), for example of `modifyTimestamp`. */
const generalizedTime = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(?:[.,]\d+)?Z$/;
const dateWithZone = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** Seconds since 1970: a number, a GeneralizedTime, or a date and time with its zone (RFC 3339). */
function secondsOf(text: string): number | undefined {
  const seconds = numberOf(text, false);
  if (seconds !== undefined) return seconds;
  const iso = generalizedTime.test(text) ? text.replace(generalizedTime, "$1-$2-$3T$4:$5:$6Z") : text;
  const ms = dateWithZone.test(iso) ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** LDAP separates the lines of an address by `$` (RFC 4517 §3.3.28). */
export function addressLines(text: string): string {
  return text.replaceAll("$", "\n");
}

/** @returns undefined if the text does not fit the type */
export function claimValueOf(text: string, type: string): ClaimValue | undefined {
  switch (type) {
    case "boolean":
      return booleanOf(text);
    case "integer":
      return numberOf(text, true);
    case "float":
      return numberOf(text, false);
    case "time":
      return secondsOf(text);
    case "object":
      return objectOf(text);
    case "address":
      return { formatted: addressLines(text) };
    default:
      return text;
  }
}

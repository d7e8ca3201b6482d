import { isMapping, type Mapping, parsedJson } from "../../platform/json/index.ts";

/** A credential as the backends store it: JSON, with members that other software may have added. */
export type StoredCredential = NonNullable<ReturnType<typeof readCredential>>;

export function parsedCredential(text: string): Mapping | undefined {
  const value = parsedJson(text);
  return isMapping(value) ? value : undefined;
}

export const part = (value: Mapping, name: string): Mapping => {
  const found = value[name];
  return isMapping(found) ? found : {};
};

/** Standard base64 or base64url, padded or not. */
function bytesOf(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  const bytes = typeof value === "string" ? Uint8Array.from(Buffer.from(value, "base64")) : new Uint8Array();
  return bytes.length > 0 ? bytes : undefined;
}

function timeOf(value: unknown): number | undefined {
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

function countOf(value: Mapping): number {
  const counts = [value["signCount"], part(value, "authenticator")["signCount"]].filter(
    (count) => typeof count === "number",
  );
  return Math.max(0, ...counts);
}

/** Reads what Postern or Nauthilus wrote; undefined for anything that is not a usable credential. */
export function readCredential(text: string) {
  const value = parsedCredential(text);
  const id = bytesOf(value?.["id"]);
  const publicKey = bytesOf(value?.["publicKey"]);
  if (value === undefined || id === undefined || publicKey === undefined) return undefined;
  const flags = part(value, "flags");
  const transports = value["transport"];
  const name = value["name"];
  const userHandle = value["userHandle"];
  return {
    /** The stored text, unchanged. */
    text,
    /** base64url */
    id: Buffer.from(id).toString("base64url"),
    /** COSE key. */
    publicKey,
    signCount: countOf(value),
    transports: Array.isArray(transports) ? transports.filter((transport) => typeof transport === "string") : [],
    name: typeof name === "string" ? name : "",
    createdMs: timeOf(value["created"]),
    lastUsedMs: timeOf(value["lastUsed"]),
    /** The authenticator may copy it to other devices (WebAuthn §6.1.3, BE). */
    backupEligible: flags["backupEligible"] === true,
    isBackedUp: flags["backupState"] === true,
    /** The user handle that the authenticator got, in base64url; absent if another version or product wrote the credential. */
    userHandle: typeof userHandle === "string" && userHandle !== "" ? userHandle : undefined,
  };
}

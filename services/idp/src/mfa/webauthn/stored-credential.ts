/** A credential as the backends store it: JSON, with members that other software may have added. */
export interface StoredCredential {
  /** The stored text, unchanged. */
  readonly text: string;
  /** base64url */
  readonly id: string;
  /** COSE key. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdMs: number | undefined;
  readonly lastUsedMs: number | undefined;
  /** The authenticator may copy it to other devices (WebAuthn §6.1.3, BE). */
  readonly backupEligible: boolean;
  readonly isBackedUp: boolean;
  /** The user handle that the authenticator got, in base64url; absent if another version or product wrote the credential. */
  readonly userHandle: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const part = (value: Json, name: string): Json => {
  const found = value[name];
  return isJson(found) ? found : {};
};

/** Standard base64 or base64url, padded or not. */
function bytesOf(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  return typeof value === "string" && value !== "" ? Uint8Array.from(Buffer.from(value, "base64")) : undefined;
}

function timeOf(value: unknown): number | undefined {
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

function countOf(value: Json): number {
  const counts = [value["signCount"], part(value, "authenticator")["signCount"]].filter(
    (count) => typeof count === "number",
  );
  return Math.max(0, ...counts);
}

/** Reads what Postern or a compatible product wrote; undefined for anything that is not a usable credential. */
export function readCredential(text: string): StoredCredential | undefined {
  const value = parsed(text);
  const id = bytesOf(value?.["id"]);
  const publicKey = bytesOf(value?.["publicKey"]);
  if (value === undefined || id === undefined || publicKey === undefined) return undefined;
  const flags = part(value, "flags");
  const transports = value["transport"];
  const name = value["name"];
  const userHandle = value["userHandle"];
  return {
    text,
    id: Buffer.from(id).toString("base64url"),
    publicKey,
    signCount: countOf(value),
    transports: Array.isArray(transports) ? transports.filter((transport) => typeof transport === "string") : [],
    name: typeof name === "string" ? name : "",
    createdMs: timeOf(value["created"]),
    lastUsedMs: timeOf(value["lastUsed"]),
    backupEligible: flags["backupEligible"] === true,
    isBackedUp: flags["backupState"] === true,
    userHandle: typeof userHandle === "string" && userHandle !== "" ? userHandle : undefined,
  };
}

export interface NewCredential {
  /** base64url */
  readonly id: string;
  readonly publicKey: Uint8Array;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly aaguid: string;
  readonly attestationFormat: string;
  readonly backupEligible: boolean;
  readonly isBackedUp: boolean;
  readonly name: string;
  readonly userHandle: string | undefined;
  readonly nowMs: number;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/** The text of a new credential, with the members that a compatible product reads. */
export function writeCredential(credential: NewCredential): string {
  return JSON.stringify({
    id: base64(Buffer.from(credential.id, "base64url")),
    publicKey: base64(credential.publicKey),
    attestationType: "none",
    attestationFormat: credential.attestationFormat,
    transport: credential.transports,
    flags: {
      userPresent: true,
      userVerified: true,
      backupEligible: credential.backupEligible,
      backupState: credential.isBackedUp,
    },
    authenticator: {
      AAGUID: base64(Buffer.from(credential.aaguid.replaceAll("-", ""), "hex")),
      signCount: credential.signCount,
      cloneWarning: false,
    },
    signCount: credential.signCount,
    name: credential.name,
    userHandle: credential.userHandle,
    created: new Date(credential.nowMs).toISOString(),
  });
}

/** The text with another name; unknown members are kept. */
export function renamedCredential(text: string, name: string): string {
  return JSON.stringify({ ...parsed(text), name });
}

export interface CredentialUse {
  readonly signCount: number;
  readonly isBackedUp: boolean;
  readonly nowMs: number;
}

/** The text after the credential was used. */
export function usedCredential(text: string, { signCount, isBackedUp, nowMs }: CredentialUse): string {
  const value = parsed(text) ?? {};
  return JSON.stringify({
    ...value,
    flags: { ...part(value, "flags"), backupState: isBackedUp },
    authenticator: { ...part(value, "authenticator"), signCount },
    signCount,
    lastUsed: new Date(nowMs).toISOString(),
  });
}

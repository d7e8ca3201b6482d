import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

/** A passkey in software that returns what browsers post (WebAuthn §6.1, §6.5.4), independent of the code under test. */
export interface SoftAuthenticator {
  /** The credential for the `publicKey` options of a registration. */
  create(publicKey: unknown): object;
  /** The credential for the `publicKey` options of a sign-in. Each call increments the signature counter. */
  get(publicKey: unknown): object;
}

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();
const userPresentAndVerified = 0x05;
const hasCredential = 0x40;

/** A byte string in CBOR (RFC 8949 §3). */
function byteString(bytes: Buffer): Buffer {
  const head =
    bytes.length < 256 ? Buffer.from([0x58, bytes.length]) : Buffer.from([0x59, bytes.length >> 8, bytes.length & 255]);
  return Buffer.concat([head, bytes]);
}

/** The public key as a COSE key for ES256 (RFC 9053 §7.1.1). */
function coseKey(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]);
  const [first, second] = [x, y].map((part) => byteString(Buffer.from(part, "base64url")));
  return Buffer.concat([head, Buffer.from([0x21]), first ?? head, Buffer.from([0x22]), second ?? head]);
}

function memberOf(value: unknown, name: string): string {
  const member: unknown = Object(value)[name];
  if (typeof member !== "string") throw new TypeError(`${name} is missing`);
  return member;
}

export function createSoftAuthenticator({
  origin,
  rpId,
}: {
  readonly origin: string;
  readonly rpId: string;
}): SoftAuthenticator {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(32);
  let count = 0;
  let userHandle = "";
  const clientData = (type: string, options: unknown): string =>
    JSON.stringify({ type, challenge: memberOf(options, "challenge"), origin, crossOrigin: false });
  const authenticatorData = (flags: number, more: Buffer): Buffer => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(count);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, more]);
  };
  const answer = (response: object): object => ({
    id: id.toString("base64url"),
    rawId: id.toString("base64url"),
    type: "public-key",
    response,
    clientExtensionResults: {},
  });
  return {
    create: (options) => {
      userHandle = memberOf(Object(options).user, "id");
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey(publicKey)]);
      const data = authenticatorData(userPresentAndVerified | hasCredential, credential);
      // {"fmt": "none", "attStmt": {}, "authData": …}
      const head = Buffer.from("a363666d74646e6f6e656761747453746d74a0686175746844617461", "hex");
      return answer({
        clientDataJSON: Buffer.from(clientData("webauthn.create", options)).toString("base64url"),
        attestationObject: Buffer.concat([head, byteString(data)]).toString("base64url"),
        transports: ["internal"],
      });
    },
    get: (options) => {
      count += 1;
      const json = clientData("webauthn.get", options);
      const data = authenticatorData(userPresentAndVerified, Buffer.alloc(0));
      const signature = createSign("sha256")
        .update(Buffer.concat([data, sha256(json)]))
        .sign(privateKey);
      return answer({
        clientDataJSON: Buffer.from(json).toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: signature.toString("base64url"),
        userHandle,
      });
    },
  };
}

import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

/** A passkey in software: returns what a browser's `toJSON()` would send (WebAuthn §5.1.8), of the `none` attestation. */
export interface Authenticator {
  readonly id: string;
  create(challenge: string, userHandle: string): object;
  get(challenge: string): object;
}

const userPresentAndVerified = 0x05;
const withCredential = 0x40;
const noAaguid = Buffer.alloc(16);

const sha256 = (bytes: Buffer): Buffer => createHash("sha256").update(bytes).digest();

/** A CBOR byte string of 24 bytes to 64 KiB with the shortest head (RFC 8949 §4.2.1). */
function byteString(bytes: Buffer): Buffer {
  const { length } = bytes;
  const head = length < 0x100 ? [0x58, length] : [0x59, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), bytes]);
}

const textString = (text: string): Buffer => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

export function createAuthenticator({
  rpId,
  origin,
}: {
  readonly rpId: string;
  readonly origin: string;
}): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const credentialId = randomBytes(32);
  const id = credentialId.toString("base64url");
  let count = 0;
  let userHandle = "";
  const authenticatorData = (flags: number): Buffer => {
    count += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(count);
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), counter]);
  };
  const coseKey = (): Buffer => {
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    // kty EC2, alg ES256, crv P-256, x, y (RFC 9053 §2.1, §7.1.1).
    const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]);
    const [left, right] = [x, y].map((part) => byteString(Buffer.from(part, "base64url")));
    return Buffer.concat([head, left ?? noAaguid, Buffer.from([0x22]), right ?? noAaguid]);
  };
  const clientData = (type: string, challenge: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const answer = (response: Readonly<Record<string, string>>): object => ({
    id,
    rawId: id,
    type: "public-key",
    response,
    clientExtensionResults: {},
  });
  return {
    id,
    create: (challenge, handle) => {
      userHandle = handle;
      const length = Buffer.from([credentialId.length >> 8, credentialId.length & 0xff]);
      const flags = userPresentAndVerified | withCredential;
      const data = Buffer.concat([authenticatorData(flags), noAaguid, length, credentialId, coseKey()]);
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        textString("fmt"),
        textString("none"),
        textString("attStmt"),
        Buffer.from([0xa0]),
        textString("authData"),
        byteString(data),
      ]);
      return answer({
        clientDataJSON: clientData("webauthn.create", challenge).toString("base64url"),
        attestationObject: attestationObject.toString("base64url"),
      });
    },
    get: (challenge) => {
      const client = clientData("webauthn.get", challenge);
      const data = authenticatorData(userPresentAndVerified);
      const signature = createSign("sha256")
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey);
      return answer({
        clientDataJSON: client.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: signature.toString("base64url"),
        userHandle,
      });
    },
  };
}

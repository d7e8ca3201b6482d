import { createPublicKey, type KeyObject, randomBytes, sign } from "node:crypto";

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.from(body.length.toString(16).padStart(body.length > 0xff ? 4 : 2, "0"), "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
/** sha256WithRSAEncryption, RFC 4055 §5 */
const algorithm = sequence(oid("2a864886f70d01010b"), Buffer.from([0x05, 0x00]));

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]/g, "").slice(0, 14);
  // RFC 5280 §4.1.2.5: two digits of the year until 2049.
  return digits < "2050" ? der(0x17, Buffer.from(`${digits.slice(2)}Z`)) : der(0x18, Buffer.from(`${digits}Z`));
}

/** Common name, RFC 5280 appendix A: at most 64 characters. */
function nameOf(text: string): Buffer {
  return sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(text.slice(0, 64), "utf8")))));
}

const yearMs = 365 * 86_400_000;

/**
 * A self-signed certificate around an RSA key, as metadata carries keys. Who trusts it trusts the metadata: names and
 * times in it say nothing (saml-metadata-interoperability §2).
 */
export function selfSignedCertificate(key: KeyObject, name: string, nowMs: number): string {
  const serial = randomBytes(16);
  serial[0] = 0x01;
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  const holder = nameOf(name);
  const validity = sequence(time(nowMs - 86_400_000), time(nowMs + 10 * yearMs));
  const body = sequence(der(0x02, serial), algorithm, holder, validity, holder, spki);
  const signature = sign("sha256", body, key);
  const certificate = sequence(body, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

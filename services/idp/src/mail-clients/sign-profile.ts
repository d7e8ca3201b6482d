import { createHash, type KeyObject, sign } from "node:crypto";
import {
  Attribute,
  CertificateChoices,
  CertificateSet,
  CMSVersion,
  ContentInfo,
  DigestAlgorithmIdentifiers,
  EncapsulatedContent,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  id_contentType,
  id_data,
  id_messageDigest,
  id_signedData,
  id_signingTime,
  SignedData,
  SignerIdentifier,
  SignerInfo,
  SignerInfos,
} from "@peculiar/asn1-cms";
import { AsnConvert, AsnObjectIdentifierConverter, AsnUTCTimeConverter, OctetString } from "@peculiar/asn1-schema";
import { AlgorithmIdentifier, Certificate } from "@peculiar/asn1-x509";

/** The key and the certificates, in DER, the signer's first. */
export interface ProfileSigningKey {
  readonly key: KeyObject;
  readonly certificates: readonly Uint8Array[];
}

const sha256 = new AlgorithmIdentifier({ algorithm: "2.16.840.1.101.3.4.2.1" });
const signatureAlgorithms = { rsa: "1.2.840.113549.1.1.11", ec: "1.2.840.10045.4.3.2" } as const;
const setOfTag = 0x31;

const attribute = (attrType: string, value: ArrayBuffer): Attribute => new Attribute({ attrType, attrValues: [value] });

/** DER requires a SET OF to be in the order of the encodings (X.690 §11.6). */
function signedAttributes(content: Uint8Array, now: Date): Attribute[] {
  const digest = createHash("sha256").update(content).digest();
  const attributes = [
    attribute(id_contentType, AsnObjectIdentifierConverter.toASN(id_data).toBER()),
    attribute(id_messageDigest, AsnConvert.serialize(new OctetString(digest))),
    attribute(id_signingTime, AsnUTCTimeConverter.toASN(now).toBER()),
  ];
  return attributes.toSorted((a, b) =>
    Buffer.compare(Buffer.from(AsnConvert.serialize(a)), Buffer.from(AsnConvert.serialize(b))),
  );
}

/** RFC 5652 §5.4: the signature covers the attributes with the tag of a SET, not that of the field. */
function encodedForSignature(attributes: readonly Attribute[]): Buffer {
  const body = Buffer.concat(attributes.map((one) => Buffer.from(AsnConvert.serialize(one))));
  // Three attributes with a digest of 32 bytes: always between 128 and 255 bytes, or less than 128.
  const length = body.length < 128 ? [body.length] : [0x81, body.length];
  return Buffer.concat([Buffer.from([setOfTag, ...length]), body]);
}

function signerInfo({ key }: ProfileSigningKey, certificate: Certificate, attributes: Attribute[]): SignerInfo {
  const { issuer, serialNumber } = certificate.tbsCertificate;
  const algorithm = key.asymmetricKeyType === "ec" ? signatureAlgorithms.ec : signatureAlgorithms.rsa;
  return new SignerInfo({
    version: CMSVersion.v1,
    sid: new SignerIdentifier({ issuerAndSerialNumber: new IssuerAndSerialNumber({ issuer, serialNumber }) }),
    digestAlgorithm: sha256,
    signedAttrs: attributes,
    signatureAlgorithm: new AlgorithmIdentifier({
      algorithm,
      ...(key.asymmetricKeyType === "rsa" && { parameters: new Uint8Array([5, 0]).buffer }),
    }),
    signature: new OctetString(sign("sha256", encodedForSignature(attributes), key)),
  });
}

/** CMS SignedData around the profile (RFC 5652 §5), as Apple devices read it. */
export function signProfile(profile: string, signingKey: ProfileSigningKey, now: Date): Uint8Array {
  const content = Buffer.from(profile, "utf8");
  const certificates = signingKey.certificates.map((der) => AsnConvert.parse(der, Certificate));
  const [own] = certificates;
  if (own === undefined) throw new TypeError("no certificate");
  const attributes = signedAttributes(content, now);
  const signedData = new SignedData({
    version: CMSVersion.v1,
    digestAlgorithms: new DigestAlgorithmIdentifiers([sha256]),
    encapContentInfo: new EncapsulatedContentInfo({
      eContentType: id_data,
      eContent: new EncapsulatedContent({ single: new OctetString(content) }),
    }),
    certificates: new CertificateSet(certificates.map((certificate) => new CertificateChoices({ certificate }))),
    signerInfos: new SignerInfos([signerInfo(signingKey, own, attributes)]),
  });
  const wrapped = new ContentInfo({ contentType: id_signedData, content: AsnConvert.serialize(signedData) });
  return new Uint8Array(AsnConvert.serialize(wrapped));
}

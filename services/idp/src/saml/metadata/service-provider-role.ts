import { X509Certificate } from "node:crypto";
import { bindings, ns } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import { childOf, childrenOf, requiredAttribute, textOf, type XmlElement } from "../xml/xml-tree.ts";
import type { ConsumerService, EncryptionMethod, EntityFacts, LogoutService } from "./entity-facts.ts";

const maxElements = 64;

function bounded<T>(list: readonly T[]): readonly T[] {
  if (list.length > maxElements) throw new SamlRefusal("too_large", "too many elements of one kind");
  return list;
}

/** A URL to which browsers may be sent. */
function addressOf(element: XmlElement, name: string): string {
  const address = requiredAttribute(element, name);
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "") {
    throw new SamlRefusal("structure", `${name} is not a web address`);
  }
  return address;
}

function flagOf(element: XmlElement, name: string): boolean | undefined {
  const text = element.attributes.get(name);
  if (text === undefined) return undefined;
  return text === "true" || text === "1";
}

type Consumer = ConsumerService & { readonly isDefault: boolean | undefined };

/**
 * The default (saml-metadata §2.4.4.1): the first with isDefault true, or else without isDefault, or else the first.
 */
function defaultFirst(consumers: readonly Consumer[]): readonly ConsumerService[] {
  const preferred =
    consumers.find(({ isDefault }) => isDefault === true) ?? consumers.find(({ isDefault }) => isDefault !== false);
  return consumers
    .toSorted((a, b) => Number(b === preferred) - Number(a === preferred))
    .map(({ url, index }) => ({ url, index }));
}

function consumersOf(role: XmlElement): readonly ConsumerService[] {
  const services = bounded(childrenOf(role, ns.metadata, "AssertionConsumerService"));
  const posted = services.filter((service) => requiredAttribute(service, "Binding") === bindings.post);
  const consumers = posted.map((service): Consumer => {
    const index = requiredAttribute(service, "index");
    if (!/^\d{1,5}$/.test(index)) throw new SamlRefusal("structure", "invalid index");
    return { url: addressOf(service, "Location"), index: Number(index), isDefault: flagOf(service, "isDefault") };
  });
  if (new Set(consumers.map(({ index }) => index)).size < consumers.length) {
    throw new SamlRefusal("structure", "an index occurs twice");
  }
  return defaultFirst(consumers);
}

const logoutBindings: readonly string[] = Object.values(bindings);

function logoutServicesOf(role: XmlElement): readonly LogoutService[] {
  const services = bounded(childrenOf(role, ns.metadata, "SingleLogoutService"));
  return services
    .map((service) => ({
      binding: requiredAttribute(service, "Binding"),
      location: addressOf(service, "Location"),
      responseLocation: service.attributes.has("ResponseLocation") ? addressOf(service, "ResponseLocation") : undefined,
    }))
    .filter(({ binding }) => logoutBindings.includes(binding));
}

function certificatesOf(descriptor: XmlElement): readonly string[] {
  const info = childOf(descriptor, ns.signature, "KeyInfo");
  const data = info === undefined ? [] : childrenOf(info, ns.signature, "X509Data");
  const certificates = data.flatMap((one) => childrenOf(one, ns.signature, "X509Certificate"));
  return certificates.map((certificate) => {
    try {
      return new X509Certificate(Buffer.from(textOf(certificate), "base64")).raw.toString("base64");
    } catch (error) {
      if (error instanceof SamlRefusal) throw error;
      throw new SamlRefusal("structure", "invalid certificate");
    }
  });
}

/** Keys without a use are for both (saml-metadata §2.4.1.1). */
function descriptorsFor(role: XmlElement, use: string): readonly XmlElement[] {
  return bounded(childrenOf(role, ns.metadata, "KeyDescriptor")).filter(({ attributes }) =>
    [undefined, use].includes(attributes.get("use")),
  );
}

function encryptionMethodOf(method: XmlElement): EncryptionMethod {
  return {
    algorithm: requiredAttribute(method, "Algorithm"),
    digest: childOf(method, ns.signature, "DigestMethod")?.attributes.get("Algorithm"),
    mask: childOf(method, ns.encryption11, "MGF")?.attributes.get("Algorithm"),
  };
}

/** Reads the role of a service provider (saml-metadata §2.4.4). @throws SamlRefusal */
export function readRole(role: XmlElement): Omit<EntityFacts, "entityId" | "validUntilMs"> {
  const encrypting = descriptorsFor(role, "encryption");
  const methods = encrypting.flatMap((descriptor) => childrenOf(descriptor, ns.metadata, "EncryptionMethod"));
  return {
    consumers: consumersOf(role),
    logoutServices: logoutServicesOf(role),
    signingCertificates: descriptorsFor(role, "signing").flatMap(certificatesOf),
    encryptionCertificates: encrypting.flatMap(certificatesOf),
    encryptionMethods: bounded(methods).map(encryptionMethodOf),
    nameIdFormats: bounded(childrenOf(role, ns.metadata, "NameIDFormat")).map(textOf),
    authnRequestsSigned: flagOf(role, "AuthnRequestsSigned") === true,
  };
}

import { type Encryption, encryptionOfUri, encryptions } from "../xml/encrypt-xml.ts";
import { commonTransport, hashesOf, type KeyTransport } from "../xml/key-transport.ts";
import type { EncryptionMethod } from "./entity-facts.ts";

const sha1 = "http://www.w3.org/2000/09/xmldsig#sha1";

/** Selects from the methods that the service provider names: content encryption, key transport, both or neither. */
export function encryptionWay(methods: readonly EncryptionMethod[]): {
  readonly name: Encryption | undefined;
  readonly transport: KeyTransport;
} {
  const named = new Set(methods.map(({ algorithm }) => encryptionOfUri(algorithm)));
  const transport = methods
    .map(({ algorithm, digest = sha1, mask }): KeyTransport => ({ algorithm, digest, mask }))
    .find((candidate) => hashesOf(candidate) !== undefined);
  return { name: encryptions.find((name) => named.has(name)), transport: transport ?? commonTransport };
}

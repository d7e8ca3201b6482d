import { canonicalIp, createCidrSet, parseCidr } from "@postern/shared/platform/net";

/** A network or an address; `contains` is true for canonical addresses in it. */
interface Place {
  readonly address: string;
  readonly contains: (address: string) => boolean;
}

/** What an operator asks about. */
export type Subject =
  | { readonly kind: "account"; readonly name: string }
  | ({ readonly kind: "address" } & Place)
  | ({
      readonly kind: "network";
      /** Its sign-ins are recorded under several networks. */
      readonly isWide: boolean;
    } & Place)
  | { readonly kind: "reference"; readonly reference: string };

const reference = /^[0-9a-f]{8}-[0-9a-f]{4}(?:-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?$/iu;
/** Histories are kept for networks of this length. */
const recorded = { ipv4: 24, ipv6: 48 };

function networkSubject(text: string): Subject | undefined {
  const network = parseCidr(text);
  if (network === undefined) return undefined;
  const set = createCidrSet([text]);
  const contains = (address: string): boolean => canonicalIp(address) !== undefined && set.has(address);
  return { kind: "network", address: network.address, contains, isWide: network.prefix < recorded[network.family] };
}

/** An address, a network or a reference by its form; anything else is the name of an account. */
export function subjectOf(query: string): Subject {
  const text = query.trim();
  const address = canonicalIp(text);
  if (address !== undefined) return { kind: "address", address, contains: (other) => canonicalIp(other) === address };
  const network = text.includes("/") ? networkSubject(text) : undefined;
  if (network !== undefined) return network;
  return reference.test(text) ? { kind: "reference", reference: text.toLowerCase() } : { kind: "account", name: text };
}

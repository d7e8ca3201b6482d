export { canonicalDomain } from "./canonical-domain.ts";
export { type CidrSet, createCidrSet, parseCidr } from "./cidr-set.ts";
export {
  callerBehind,
  type ForwardedAddresses,
  type ForwardingHeaders,
  type NamedClient,
  type Peer,
  peerOf,
  readClientAddress,
  resolveForwardedFor,
} from "./forwarded-for.ts";
export { type HostPort, parseHostPort } from "./host-port.ts";
export { addressKey, canonicalIp, embeddedIpv4, isLoopback, isPublicAddress } from "./ip.ts";
export { canonicalName, nameForms } from "./name-forms.ts";
export { cipherList, recommendedGroups, recommendedSuites } from "./tls-names.ts";
export { addTrustedRoots } from "./trusted-roots.ts";

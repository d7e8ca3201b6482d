import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { normalisedProtocol } from "../../contracts/auth/request.ts";
import { isPasswordHash } from "./password-hash.ts";

/** Forms of texts. A form returns what it expects, or undefined if the text matches. */
const forms = {
  "host-port": (value: string) =>
    isHostPort(value) ? undefined : "an address and a port, such as 127.0.0.1:9080 or [::1]:9080",
  network: (value: string) => (isNetwork(value) ? undefined : "an IP address or a network, such as 192.0.2.0/24"),
  "ip-address": (value: string) => (isIP(value) === 0 ? "an IP address" : undefined),
  "password-hash": (value: string) =>
    isPasswordHash(value) ? undefined : "a supported password hash, such as {ARGON2ID}$argon2id$… or {SSHA256}…",
  "http-url": urlOf(["http:", "https:"], "http://host:port"),
  "http-receiver": (value: string) =>
    isHostPort(value) || urlOf(["http:", "https:"], "")(value) === undefined
      ? undefined
      : "an HTTP URL or an address and a port, such as http://127.0.0.1:4318",
  "redis-url": urlOf(["redis:", "rediss:"], "redis://host:port/0"),
  "nats-url": urlOf(["nats:", "tls:"], "nats://host:4222"),
  "ldap-url": (value: string) =>
    isLdapUrl(value) ? undefined : "an LDAP URL, such as ldaps://host or ldapi://%2Frun%2Fldapi",
  "sql-name-prefix": matching(
    /^[A-Za-z_][A-Za-z0-9_.]{0,62}$/,
    "a prefix of letters, digits, _ and ., such as postern_ or mail.postern_",
  ),
  identifier: matching(
    /^[A-Za-z][A-Za-z0-9_]{0,31}$/,
    "a word of up to 32 letters, digits and _, beginning with a letter",
  ),
  "path-segment": matching(/^[A-Za-z0-9_-]{1,32}$/, "a word of up to 32 letters, digits, - and _"),
  "subject-token": matching(/^[A-Za-z0-9_-]{1,32}$/, "a word of up to 32 letters, digits, - and _"),
  region: matching(/^[a-z0-9-]{1,20}$/, "a name of up to 20 small letters, digits and -"),
  "key-prefix": matching(/^[A-Za-z0-9_.:-]{1,64}$/, "a prefix of up to 64 letters, digits, _, ., : and -"),
  "caller-name": matching(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    "a name of up to 64 letters, digits, ., _ and -, beginning with a letter or digit",
  ),
  "header-name": matching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/, "the name of an HTTP header"),
  "css-color": matching(/^#[0-9A-Fa-f]{6}$/, "a colour, such as #0b57d0"),
  "language-tag": matching(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/, "a language tag, such as de or en-GB"),
  "domain-name": matching(
    /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62})(?:\.[A-Za-z0-9_][A-Za-z0-9_-]{0,62})*\.?$/,
    "a domain name",
  ),
  "dns-server": (value: string) =>
    isIP(value) !== 0 || (isHostPort(value) && isIP(value.replace(/:\d+$/, "").replaceAll(/[[\]]/g, "")) !== 0)
      ? undefined
      : "an IP address with or without a port, such as 192.0.2.1:53",
  // Any name is valid; only the spelling is normalised.
  protocol: () => undefined,
  "header-text": matching(/^[\x20-\x7e\u{80}-\u{10ffff}]*$/u, "one line of text without control characters"),
} as const satisfies Record<string, (value: string) => string | undefined>;

export type FormName = keyof typeof forms;

/** The text as the service compares it. */
export function inOneSpelling(form: FormName | undefined, value: string): string {
  return form === "protocol" ? normalisedProtocol(value) : value;
}

/** What was expected in place of the text; undefined if it matches. */
export function checkForm(form: FormName, value: string): string | undefined {
  return forms[form](value);
}

function matching(pattern: RegExp, expected: string) {
  return (value: string) => (pattern.test(value) ? undefined : expected);
}

function urlOf(protocols: readonly string[], example: string) {
  return (value: string) => {
    const url = URL.parse(value);
    return url !== null && protocols.includes(url.protocol) && url.hostname !== ""
      ? undefined
      : `a URL, such as ${example}`;
  };
}

function isHostPort(value: string): boolean {
  const match = /^(?:\[([^\]]+)\]|([^:[\]\s/]+)):(\d{1,5})$/.exec(value);
  if (match === null || Number(match[3]) > 65_535) return false;
  return match[1] === undefined || isIP(match[1]) === 6;
}

function isNetwork(value: string): boolean {
  return value.includes("/") ? ipaddr.isValidCIDR(value) : isIP(value) !== 0;
}

function isLdapUrl(value: string): boolean {
  if (/^ldapi:\/\/\S*$/i.test(value)) return true;
  const url = URL.parse(value);
  return url !== null && /^ldaps?:$/.test(url.protocol) && url.hostname !== "";
}

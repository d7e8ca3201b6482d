import { canonicalIp } from "@postern/shared/platform/net";

const longest = 1024;
/** `203.0.113.9:4711`, `[2001:db8::9]:993`, `[2001:db8::9]` */
const withPort = /^(?:\[([^\]]+)\](?::\d{1,5})?|(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5})$/u;
/** `Alice Example <alice@example.test>`, `<alice@example.test>` */
const inBrackets = /^[^<>]*<([^<>\s]+@[^<>\s]+)>$/u;

/** `Reference: 7d3f91ac-20b4`, with what a page writes before the number in any language */
const labelled =
  /^[\p{L}\p{M} .]{1,40}[:：#\s]\s*([0-9a-f]{8}-?[0-9a-f]{4}(?:-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?)\.?$/iu;
const dashless = /^([0-9a-f]{8})([0-9a-f]{4})$/iu;

/** `7d3f91ac20b4` as the reference `7d3f91ac-20b4`. It may be the name of an account instead. Undefined for everything else. */
export function referenceIn(text: string): string | undefined {
  const [, first, second] = dashless.exec(text.trim()) ?? [];
  return first === undefined || second === undefined ? undefined : `${first}-${second}`;
}

function addressIn(text: string): string | undefined {
  const [, six, four] = withPort.exec(text) ?? [];
  return canonicalIp(six ?? four ?? "");
}

/** What an operator means who pastes an address from a mail, or one with a port from a log. Empty for nothing. */
export function searchedText(typed: string): string {
  const text = typed.trim().slice(0, longest).trim();
  const [, mail] = inBrackets.exec(text) ?? [];
  const [, reference] = labelled.exec(text) ?? [];
  if (reference !== undefined) return referenceIn(reference) ?? reference;
  return addressIn(text) ?? mail ?? text.replace(/^mailto:/iu, "").trim();
}

/** `alice+shop@example.test` without `+shop`. Undefined for a name without a tag. */
export function withoutTag(name: string): string | undefined {
  const [, user, domain] = /^([^+@\s]+)\+[^@\s]*(@[^@\s]+)$/u.exec(name) ?? [];
  return user === undefined || domain === undefined ? undefined : user + domain;
}

/** `alice` as a mail address of the operator's domain. Undefined for what is none, such as a program. */
function inDomainOf(operator: string, name: string): string | undefined {
  const domain = operator.slice(operator.lastIndexOf("@") + 1);
  return operator.includes("@") && /^[^@\s/:]{1,64}$/u.test(name) ? `${name}@${domain}` : undefined;
}

/** What is known about a name; about the mail address without its tag, or with the operator's domain, if only that is an account. */
export async function askedByName<Found>(
  { name, operator }: { readonly name: string; readonly operator: string },
  ask: (name: string) => Promise<Found>,
  isAccount: (found: Found) => boolean,
): Promise<Found> {
  const found = await ask(name);
  if (isAccount(found)) return found;
  const meant = withoutTag(name.trim()) ?? inDomainOf(operator, name.trim());
  if (meant === undefined) return found;
  const other = await ask(meant);
  return isAccount(other) ? other : found;
}

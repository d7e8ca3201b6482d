import { authnRequest, enveloped, keys, logoutRequest, redirected } from "./forge.ts";

/** The choices of a trick; each is derived from a seed. */
interface Choices {
  integer(below: number): number;
}

/** A small seeded generator with the same results everywhere (mulberry32). */
function choicesOf(seed: number): Choices {
  let state = seed;
  return {
    integer: (below) => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
    },
  };
}

function pick<T>(choices: Choices, list: readonly [T, ...T[]]): T {
  return list[choices.integer(list.length)] ?? list[0];
}

const goodLogout = enveloped(logoutRequest());
const goodAuthn = enveloped(authnRequest());
const strangers = [
  enveloped(logoutRequest("_l1", "mallory"), keys.stranger.privateKey),
  enveloped(authnRequest(), keys.stranger.privateKey),
] as const;
const signatureOf = (xml: string): string => /<ds:Signature[\s\S]*<\/ds:Signature>/.exec(xml)?.[0] ?? "";
const without = (xml: string): string => xml.replace(signatureOf(xml), "");
const inner = (xml: string): string => xml.replace(/^<[^>]*>/, "").replace(/<\/[^>]*>$/, "");
const opening = (xml: string): string => /^<[^>]*>/.exec(xml)?.[0] ?? "";
const closing = (xml: string): string => /<\/[^>]*>$/.exec(xml)?.[0] ?? "";

type Trick = (good: string, choices: Choices) => string;

/** A malicious message around, beside or below the signed one. */
const wrap: Trick = (good, choices) => {
  const evilId = pick(choices, ["_evil", "_l1", "_a1", ""]);
  const evil = without(good)
    .replace(/ ID="[^"]*"/, ` ID="${evilId}"`)
    .replace(">alice<", ">mallory<");
  const signature = signatureOf(good);
  const object = pick(choices, ["ds:Object", "samlp:Extensions", "saml:Subject", "x"]);
  const boxed = `<${object} xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${pick(choices, [good, without(good)])}</${object}>`;
  return pick(choices, [
    `${opening(evil)}${signature}${boxed}${inner(evil)}${closing(evil)}`,
    `${opening(evil)}${inner(evil)}${boxed}${closing(evil)}`,
    `${opening(evil)}${signature.replace("</ds:Signature>", `${boxed}</ds:Signature>`)}${inner(evil)}${closing(evil)}`,
    `${opening(evil)}${inner(evil)}${signature}${closing(evil)}${good}`,
    `<x>${evil}${good}</x>`,
    `${opening(evil)}${good}${inner(evil)}${closing(evil)}`,
    `${opening(evil)}${inner(evil)}<y>${signature}</y>${closing(evil)}`,
  ]);
};

/** Comments, entities, processing instructions, CDATA and DTDs, anywhere in the text. */
const noise: Trick = (good, choices) => {
  const inserted = pick(choices, [
    "<!---->",
    "<!--x-->",
    "<?pi?>",
    "<![CDATA[x]]>",
    "&evil;",
    "<!DOCTYPE x>",
    '<!DOCTYPE x [<!ENTITY evil "mallory">]>',
    "&#0;",
    "\u0000",
  ]);
  const at = pick(choices, [0, good.indexOf(">alice<") + 3, choices.integer(good.length)]);
  return good.slice(0, at) + inserted + good.slice(at);
};

const algorithms: Trick = (good, choices) => {
  const evil = pick(choices, [
    "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
    "http://www.w3.org/2000/09/xmldsig#hmac-sha1",
    "http://www.w3.org/2000/09/xmldsig#sha1",
    "http://www.w3.org/TR/1999/REC-xpath-19991116",
    "http://www.w3.org/TR/1999/REC-xslt-19991116",
    "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments",
    "",
  ]);
  const target = pick(choices, [
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    "http://www.w3.org/2001/04/xmlenc#sha256",
    "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
    "http://www.w3.org/2001/10/xml-exc-c14n#",
  ]);
  return good.replace(target, evil);
};

/** Fields of the signed part, changed. */
const fields: Trick = (good, choices) =>
  pick(choices, [
    good.replace(">alice<", ">mallory<"),
    good.replace(">_s1<", ">_s2<"),
    good.replace(/ ID="[^"]*"/, ' ID="_evil"'),
    good.replace(/URI="#[^"]*"/, pick(choices, ['URI=""', 'URI="#_evil"', 'URI="#xpointer(/)"', ""])),
    good.replace("12:00:00Z", "12:00:01Z"),
    good.replace("sp.example.test/acs", "evil.example.test/acs"),
    good.replace(signatureOf(good), ""),
    good.replace(signatureOf(good), signatureOf(good) + signatureOf(good)),
    pick(choices, strangers),
    good.replace(/<ds:DigestValue>[^<]*/, "<ds:DigestValue>"),
    good.replace(/<ds:Reference[\s\S]*<\/ds:Reference>/, (reference) => reference + reference),
    good.replace(/<ds:Reference[\s\S]*<\/ds:Reference>/, ""),
  ]);

/** Bytes dropped, doubled, changed or moved. */
const bytes: Trick = (good, choices) => {
  const at = choices.integer(good.length);
  const length = 1 + choices.integer(pick(choices, [2, 16, 200]));
  const cut = good.slice(at, at + length);
  const to = choices.integer(good.length);
  const rest = good.slice(0, at) + good.slice(at + length);
  return pick(choices, [
    rest,
    good.slice(0, at) + cut + good.slice(at),
    good.slice(0, at) + String.fromCodePoint(32 + choices.integer(95)) + good.slice(at + 1),
    rest.slice(0, to) + cut + rest.slice(to),
  ]);
};

const tricks: readonly [Trick, ...Trick[]] = [wrap, noise, algorithms, fields, bytes];

export interface Forgery {
  readonly binding: "post" | "redirect";
  /** XML, or a query. */
  readonly message: string;
}

const goodQuery = redirected(logoutRequest());

/** The forgery of a seed: one to three tricks on a good AuthnRequest or LogoutRequest. */
export function forgeryOf(seed: number): Forgery {
  const choices = choicesOf(seed);
  if (choices.integer(6) === 0) return { binding: "redirect", message: queryTrick(choices) };
  let message = pick(choices, [goodLogout, goodAuthn]);
  const rounds = 1 + choices.integer(3);
  for (let round = 0; round < rounds; round += 1) message = pick(choices, tricks)(message, choices);
  return { binding: "post", message };
}

function queryTrick(choices: Choices): string {
  const evil = redirected(logoutRequest("_l2", "mallory"), keys.stranger.privateKey);
  const evilMessage = /SAMLRequest=[^&]*/.exec(evil)?.[0] ?? "";
  return pick(choices, [
    evil,
    goodQuery.replace(/SAMLRequest=[^&]*/, evilMessage),
    `${goodQuery}&${evilMessage}`,
    `${evilMessage}&${goodQuery}`,
    goodQuery.replace("state%201", "state%202"),
    goodQuery.replace(/&RelayState=[^&]*/, ""),
    goodQuery.replace("rsa-sha256", "rsa-sha1"),
    goodQuery.replace(/&Signature=.*/, ""),
    goodQuery.replace(/&SigAlg=[^&]*/, ""),
    goodQuery.replace("SAMLRequest", "SAML%52equest"),
    `${goodQuery}&%53AMLRequest=${evilMessage.slice("SAMLRequest=".length)}`,
    bytes(goodQuery, choices),
  ]);
}

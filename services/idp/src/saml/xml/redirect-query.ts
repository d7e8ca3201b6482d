import { SamlRefusal } from "../protocol/refusal.ts";
import { messageLimits } from "./limits.ts";

export type MessageParameter = "SAMLRequest" | "SAMLResponse";

export interface MessageParameters {
  readonly parameter: MessageParameter;
  readonly message: string;
  /** Opaque; returned unchanged. */
  readonly relayState: string | undefined;
}

export interface RedirectQuery extends MessageParameters {
  readonly signature?: {
    readonly algorithm: string;
    readonly value: string;
    /** The signed text: raw parameters in the order of the binding (saml-bindings §3.4.4.1). */
    readonly octets: string;
  };
}

const known = ["SAMLRequest", "SAMLResponse", "RelayState", "SigAlg", "Signature", "SAMLEncoding"] as const;
const deflate = "urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE";

function decoded(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll("+", " "));
  } catch {
    throw new SamlRefusal("parameters", "invalid percent-encoding");
  }
}

/** Raw values by name. Each parameter of the binding may occur once, under its unescaped name. */
function rawValues(query: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const cut = pair.indexOf("=");
    const rawName = cut < 0 ? pair : pair.slice(0, cut);
    const name = known.find((candidate) => candidate === decoded(rawName));
    if (name === undefined) continue;
    if (name !== rawName) throw new SamlRefusal("parameters", `the parameter name ${name} must not be percent-encoded`);
    if (values.has(name)) throw new SamlRefusal("parameters", `${name} occurs twice`);
    values.set(name, cut < 0 ? "" : pair.slice(cut + 1));
  }
  return values;
}

export function checkedRelayState(relayState: string | undefined): string | undefined {
  if (relayState !== undefined && Buffer.byteLength(relayState) > messageLimits.relayStateBytes) {
    throw new SamlRefusal("parameters", "RelayState is too long");
  }
  return relayState === "" ? undefined : relayState;
}

export function parameterOf(has: (name: string) => boolean): MessageParameter {
  const isRequest = has("SAMLRequest");
  if (isRequest === has("SAMLResponse")) throw new SamlRefusal("parameters", "there must be exactly one message");
  return isRequest ? "SAMLRequest" : "SAMLResponse";
}

function signatureOf(values: ReadonlyMap<string, string>, parameter: MessageParameter): RedirectQuery["signature"] {
  const algorithm = values.get("SigAlg");
  const value = values.get("Signature");
  if (algorithm === undefined && value === undefined) return undefined;
  if (algorithm === undefined || value === undefined)
    throw new SamlRefusal("parameters", "SigAlg and Signature must occur together");
  const octets = [parameter, "RelayState", "SigAlg"]
    .filter((name) => values.has(name))
    .map((name) => `${name}=${values.get(name) ?? ""}`)
    .join("&");
  return { algorithm: decoded(algorithm), value: decoded(value).replaceAll(" ", "+"), octets };
}

/** Reads a raw query (what follows `?`). @throws SamlRefusal */
export function readRedirectQuery(query: string): RedirectQuery {
  const values = rawValues(query);
  const parameter = parameterOf((name) => values.has(name));
  const encoding = values.get("SAMLEncoding");
  if (encoding !== undefined && decoded(encoding) !== deflate)
    throw new SamlRefusal("parameters", "unsupported SAMLEncoding");
  const relayState = values.get("RelayState");
  const signature = signatureOf(values, parameter);
  return {
    parameter,
    message: decoded(values.get(parameter) ?? "").replaceAll(" ", "+"),
    relayState: checkedRelayState(relayState === undefined ? undefined : decoded(relayState)),
    ...(signature === undefined ? {} : { signature }),
  };
}

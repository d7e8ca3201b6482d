import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { SAML, type SamlConfig, ValidateInResponseTo } from "@node-saml/node-saml";
import { freePort } from "@postern/testing";
import * as samlify from "samlify";
import type { KeyPair } from "./key-pair.ts";

/** The functions of a service provider's SAML library. */
interface Library {
  loginUrl(): Promise<string>;
  takeLogin(fields: Record<string, string>): Promise<Profile>;
  logoutUrl(profile: Profile): Promise<string>;
  /** @returns the name ID whose session ends, and the address of the response */
  takeLogoutRequest(query: URLSearchParams, raw: string): Promise<{ nameId: string; answer: string }>;
  takeLogoutResponse(query: URLSearchParams, raw: string): Promise<void>;
  /** Takes a logout request of the POST binding. */
  takePostedLogoutRequest?(fields: Record<string, string>): Promise<{ nameId: string; answer: string }>;
  /** A logout request for the POST binding that names no session, in Base64. */
  logoutMessage?(profile: Profile): string;
  takePostedLogoutResponse?(fields: Record<string, string>): Promise<void>;
}

export interface Profile {
  readonly nameId: string;
  readonly nameIdFormat: string;
  readonly sessionIndex: string;
  readonly shown: string;
}

/** A web site with sign-in by SAML. */
export interface ProviderSite extends AsyncDisposable {
  readonly port: number;
  /** While true, logout requests get no response and their connections stay open. */
  hangs: boolean;
  /** The SAML response that a browser posted last. */
  lastResponse: string;
}

export interface SiteKeys {
  readonly entityId: string;
  readonly origin: string;
  readonly keys: KeyPair;
}

const bindings = "urn:oasis:names:tc:SAML:2.0:bindings:";

/** A service provider with node-saml, which accepts each response once. */
export function nodeSamlLibrary(
  { entityId, origin, keys }: SiteKeys,
  idpMetadata: string,
  more: Partial<SamlConfig> = {},
): Library {
  const options: SamlConfig = {
    issuer: entityId,
    callbackUrl: `${origin}/acs`,
    entryPoint: "http://localhost:8080/saml/sso",
    logoutUrl: "http://localhost:8080/saml/slo",
    logoutCallbackUrl: `${origin}/slo`,
    idpCert: /<ds:X509Certificate>([^<]+)/.exec(idpMetadata)?.[1] ?? "",
    idpIssuer: "http://localhost:8080/saml/metadata",
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    wantAuthnResponseSigned: true,
    wantAssertionsSigned: true,
    validateInResponseTo: ValidateInResponseTo.always,
    privateKey: keys.key,
    publicCert: keys.cert,
    decryptionPvk: keys.key,
    signatureAlgorithm: "sha256",
    ...more,
  };
  const sp = new SAML(options);
  const checked = async (query: URLSearchParams, raw: string) => {
    const { profile } = await sp.validateRedirectAsync(Object.fromEntries(query), raw);
    return profile;
  };
  const full = ({ nameId, nameIdFormat, sessionIndex }: Profile) => ({
    issuer: options.idpIssuer ?? "",
    nameID: nameId,
    nameIDFormat: nameIdFormat,
    sessionIndex,
  });
  const answerTo = async (profile: Awaited<ReturnType<typeof checked>>, relayState: string) => {
    if (profile === null) throw new Error("the message has no logout request");
    return { nameId: profile.nameID, answer: await sp.getLogoutResponseUrlAsync(profile, relayState, {}, true) };
  };
  return {
    loginUrl: () => sp.getAuthorizeUrlAsync("", undefined, {}),
    takeLogin: async (fields) => {
      const { profile } = await sp.validatePostResponseAsync(fields);
      if (profile === null) throw new Error("the response has no profile");
      const context = /AuthnContextClassRef>([^<]+)</.exec(profile.getAssertionXml?.() ?? "")?.[1] ?? "";
      return {
        nameId: profile.nameID,
        nameIdFormat: profile.nameIDFormat,
        sessionIndex: profile.sessionIndex ?? "",
        shown: `mail: ${String(profile["urn:oid:0.9.2342.19200300.100.1.3"])}, by: ${context}`,
      };
    },
    logoutUrl: (profile) => sp.getLogoutUrlAsync(full(profile), "", {}),
    takeLogoutRequest: async (query, raw) => answerTo(await checked(query, raw), query.get("RelayState") ?? ""),
    takePostedLogoutRequest: async (fields) => {
      const { profile } = await sp.validatePostRequestAsync({ SAMLRequest: fields["SAMLRequest"] ?? "" });
      return answerTo(profile, fields["RelayState"] ?? "");
    },
    takeLogoutResponse: async (query, raw) => void (await checked(query, raw)),
  };
}

function octets(raw: string): string {
  return raw.split("&Signature=")[0] ?? "";
}

/** A service provider with samlify. */
export function samlifyLibrary({ entityId, origin, keys }: SiteKeys, idpMetadata: string): Library {
  samlify.setSchemaValidator({ validate: async () => "node-saml and xmllint look" });
  const idp = samlify.IdentityProvider({
    metadata: idpMetadata.replace('RequestsSigned="false"', 'RequestsSigned="true"'),
    wantLogoutRequestSigned: true,
    wantLogoutResponseSigned: true,
  });
  const sp = samlify.ServiceProvider({
    entityID: entityId,
    authnRequestsSigned: true,
    wantAssertionsSigned: true,
    wantMessageSigned: true,
    wantLogoutRequestSigned: true,
    wantLogoutResponseSigned: true,
    privateKey: keys.key,
    signingCert: keys.cert,
    requestSignatureAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    signatureConfig: {
      prefix: "ds",
      location: { reference: "/*[local-name(.)='LogoutRequest']/*[local-name(.)='Issuer']", action: "after" },
    },
    assertionConsumerService: [{ Binding: `${bindings}HTTP-POST`, Location: `${origin}/acs` }],
    singleLogoutService: [{ Binding: `${bindings}HTTP-Redirect`, Location: `${origin}/slo` }],
  });
  return {
    loginUrl: async () => sp.createLoginRequest(idp, "redirect").context,
    takeLogin: async (body) => {
      const { extract } = await sp.parseLoginResponse(idp, "post", { body });
      return {
        nameId: extract.nameID ?? "",
        nameIdFormat: "",
        sessionIndex: String(extract.sessionIndex?.["sessionIndex"]),
        shown: `login: ${String(extract.attributes?.["login"])}`,
      };
    },
    logoutUrl: async ({ nameId, sessionIndex }) =>
      sp.createLogoutRequest(idp, "redirect", { logoutNameID: nameId, sessionIndex }).context,
    logoutMessage: ({ nameId }) => sp.createLogoutRequest(idp, "post", { logoutNameID: nameId }).context,
    takePostedLogoutResponse: async (body) => void (await sp.parseLogoutResponse(idp, "post", { body })),
    takeLogoutRequest: async (query, raw) => {
      const request = { query: Object.fromEntries(query), octetString: octets(raw) };
      const found = await sp.parseLogoutRequest(idp, "redirect", request);
      const { context } = sp.createLogoutResponse(idp, { extract: found.extract }, "redirect", "");
      return { nameId: found.extract.nameID ?? "", answer: context };
    },
    takeLogoutResponse: async (query, raw) => {
      await sp.parseLogoutResponse(idp, "redirect", { query: Object.fromEntries(query), octetString: octets(raw) });
    },
  };
}

const plain = (response: ServerResponse, status: number, body: string): void => {
  response.writeHead(status, { "content-type": "text/html" }).end(`<!doctype html><p id="who">${body}</p>`);
};
const moved = (response: ServerResponse, location: string, cookie?: string): void => {
  response.writeHead(302, { location, ...(cookie === undefined ? {} : { "set-cookie": cookie }) }).end();
};

/** Serves the site: `/`, `/login`, `/acs`, `/logout`, `/logout-by-form`, `/slo`. Sessions are stored by name ID, which is all that a logout request contains. */
export async function startProviderSite(library: Library): Promise<ProviderSite> {
  const port = await freePort();
  const sessions = new Map<string, Profile>();
  const site = { port, hangs: false, lastResponse: "" };
  const profileOf = (request: IncomingMessage): Profile | undefined =>
    sessions.get(decodeURIComponent(/who=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? ""));

  const slo = async (response: ServerResponse, raw: string): Promise<void> => {
    if (site.hangs) return;
    const query = new URLSearchParams(raw);
    if (query.has("SAMLResponse")) {
      await library.takeLogoutResponse(query, raw);
      plain(response, 200, "logout answered");
      return;
    }
    const { nameId, answer } = await library.takeLogoutRequest(query, raw);
    sessions.delete(nameId);
    moved(response, answer);
  };
  const postedSlo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fields = Object.fromEntries(new URLSearchParams(await text(request)));
    if (fields["SAMLResponse"] !== undefined) {
      await library.takePostedLogoutResponse?.(fields);
      return plain(response, 200, "logout answered");
    }
    if (library.takePostedLogoutRequest === undefined) return plain(response, 405, "Redirect only");
    const { nameId, answer } = await library.takePostedLogoutRequest(fields);
    sessions.delete(nameId);
    moved(response, answer);
  };
  const acs = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fields = Object.fromEntries(new URLSearchParams(await text(request)));
    site.lastResponse = fields["SAMLResponse"] ?? "";
    const profile = await library.takeLogin(fields);
    sessions.set(profile.nameId, profile);
    moved(response, "/", `who=${encodeURIComponent(profile.nameId)}; Path=/; HttpOnly; SameSite=Lax`);
  };
  const logoutForm = (response: ServerResponse, profile: Profile): void => {
    const message = library.logoutMessage?.(profile) ?? "";
    const form = `<form method="post" action="http://localhost:8080/saml/slo"><input name="SAMLRequest" value="${message}"><button>Leave</button></form>`;
    plain(response, 200, form);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, search } = new URL(request.url ?? "/", "http://site.test");
    const profile = profileOf(request);
    if (pathname === "/login") return moved(response, await library.loginUrl());
    if (pathname === "/acs") return acs(request, response);
    if (pathname === "/slo")
      return request.method === "POST" ? postedSlo(request, response) : slo(response, search.slice(1));
    if (pathname === "/logout-by-form" && profile !== undefined) return logoutForm(response, profile);
    if (pathname === "/logout" && profile !== undefined) {
      sessions.delete(profile.nameId);
      return moved(response, await library.logoutUrl(profile));
    }
    return plain(response, 200, profile === undefined ? "signed out" : profile.shown);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => plain(response, 403, String(error)));
  });
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  return Object.assign(site, {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
}

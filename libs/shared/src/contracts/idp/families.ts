import { defineFamily } from "../operations/route-family.ts";

const pages = { owner: "idp", channel: "front" } as const;

/** Families of browsers and clients, whom the identity provider identifies itself. */
export const rootFamily = defineFamily({ ...pages, name: "start page", prefix: "/", isPage: true });
export const wellKnownFamily = defineFamily({ ...pages, name: "well-known documents", prefix: "/.well-known" });
export const loginFamily = defineFamily({ ...pages, name: "sign-in", prefix: "/login" });
export const logoutFamily = defineFamily({ ...pages, name: "logout", prefix: "/logout" });
export const loggedOutFamily = defineFamily({ ...pages, name: "end of a session", prefix: "/logged_out" });
export const oidcFamily = defineFamily({ ...pages, name: "OIDC", prefix: "/oidc" });
export const samlFamily = defineFamily({ ...pages, name: "SAML2", prefix: "/saml" });
export const selfServiceFamily = defineFamily({ ...pages, name: "self-service", prefix: "/mfa" });
export const staticFamily = defineFamily({ ...pages, name: "assets of the pages", prefix: "/static" });
/** Mail clients know these paths. */
export const mailFamily = defineFamily({ ...pages, name: "settings of mail clients", prefix: "/mail" });
export const autodiscoverFamily = defineFamily({ ...pages, name: "Autodiscover", prefix: "/autodiscover" });

import { Type } from "typebox";
import { pathOf } from "../operations/answers.ts";
import { type OperationAnswer, operationsWith } from "../operations/define-operation.ts";
import type { RouteFamily } from "../operations/route-family.ts";
import { optionalText, text } from "../schema.ts";
import { OauthError } from "./oauth-operations.ts";
import { autodiscoverFamily, mailFamily, wellKnownFamily } from "./page-operation.ts";

const mailClients = operationsWith({ family: mailFamily, tag: "Mail clients", audience: "idp", security: "none" });
const xml = { "text/xml": Type.String() };
const unknownDomain: OperationAnswer = {
  description: "No settings are configured for this domain (identity.mail_clients).",
};

/** Far above any request of a client. */
const maxAutodiscoverBytes = 16_384;

const autoconfigQuery = Type.Object({
  emailaddress: optionalText(
    "Mail address of the user, of which only the domain counts. Without it, the domain is that of the request's host, with or without `autoconfig.`.",
  ),
});

function autoconfig<const Path extends string, const Id extends string>(
  family: RouteFamily,
  path: Path,
  operationId: Id,
) {
  return mailClients("get", path, operationId, {
    family,
    anyCase: true,
    summary: "Get the settings of a mail domain as Mozilla autoconfig",
    request: { query: autoconfigQuery },
    answers: {
      200: { description: "The settings, which are the same for every user of the domain.", content: xml },
      404: unknownDomain,
    },
  });
}

/** Servers of Microsoft ignore the case of the path, so its clients spell it in many ways. */
const autodiscover = mailClients("post", "/autodiscover/autodiscover.xml", "autodiscover", {
  family: autodiscoverFamily,
  anyCase: true,
  summary: "Get the settings of a mail domain as Microsoft Autodiscover (POX)",
  maxBodyBytes: maxAutodiscoverBytes,
  request: { body: { "text/xml": text("Request of MS-OXDSCLI") } },
  answers: {
    200: {
      description: "The settings; or an `Error` element, if the client asks for another response schema.",
      content: xml,
    },
    400: {
      description: "The request is not XML of this form, is too large, or contains a DTD or an entity.",
      content: xml,
    },
    404: unknownDomain,
  },
});

/** Documents by which mail clients find their settings. None of them depends on whether an account exists. */
export const mailClientOperations = [
  autoconfig(wellKnownFamily, "/.well-known/autoconfig/mail/config-v1.1.xml", "wellKnownAutoconfig"),
  autoconfig(mailFamily, "/mail/config-v1.1.xml", "autoconfig"),
  autodiscover,
  mailClients("get", "/.well-known/user-agent-configuration.json", "userAgentConfiguration", {
    family: wellKnownFamily,
    summary: "Get the settings of a mail domain as JSON (draft-ietf-mailmaint-pacc)",
    description: "The domain is that of the request's host, with or without `ua-auto-config.`.",
    answers: {
      200: {
        description: "The settings, in the bytes whose digest `postern dns` prints.",
        content: { "application/json": Type.Unknown() },
      },
      404: {
        description:
          "No settings are configured for this domain, or they have ports or STARTTLS, which this format cannot express.",
      },
    },
  }),
  mailClients("get", "/mail/profile/{token}", "mailProfile", {
    summary: "Get an Apple configuration profile that a signed-in user has just created, once",
    request: pathOf({ token: text("Secret of the link, valid for ten minutes.") }),
    answers: {
      200: {
        description: "The profile, signed if identity.mail_clients.profile has a key.",
        content: { "application/x-apple-aspen-config": Type.Unknown() },
      },
      404: { description: "The profile has been fetched, has expired, or never existed." },
      500: { description: "Temporary failure.", content: { "application/json": OauthError } },
    },
  }),
];

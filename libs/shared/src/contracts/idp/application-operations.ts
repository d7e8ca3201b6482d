import { errorAnswer, jsonAnswer, temporaryFailure } from "../operations/answers.ts";
import { defineOperation } from "../operations/define-operation.ts";
import { defineFamily, operatorScopes } from "../operations/route-family.ts";
import { ApplicationList } from "./applications.ts";

const family = defineFamily({
  name: "applications",
  prefix: "/api/v1/applications",
  owner: "idp",
  channel: "back",
  anyScope: operatorScopes,
});

/** Applications that sign users in. */
export const applicationOperations = [
  defineOperation({
    family,
    method: "get",
    path: "/api/v1/applications",
    operationId: "listApplications",
    summary: "List the OIDC clients and SAML service providers of the configuration",
    description:
      "With their last use, and the expiry of metadata and certificates. Clients that registered themselves are in the list of registered clients.",
    tag: "Help desk",
    audience: "management",
    security: "backchannel",
    answers: {
      200: jsonAnswer("The applications.", ApplicationList),
      403: errorAnswer("The token lacks a required scope."),
      500: temporaryFailure,
    },
  }),
];

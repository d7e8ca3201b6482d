import { errorAnswer, jsonAnswer, operatorApi } from "../operations/answers.ts";
import { ApplicationList } from "./applications.ts";

const applications = operatorApi({ name: "applications", prefix: "/api/v1/applications", owner: "idp" }, "Help desk", {
  403: errorAnswer("The token lacks a required scope."),
});

/** Applications that sign users in. */
export const applicationOperations = [
  applications("get", "/api/v1/applications", "listApplications", {
    summary: "List the OIDC clients and SAML service providers of the configuration",
    description:
      "With their last use, and the expiry of metadata and certificates. Clients that registered themselves are in the list of registered clients.",
    answers: { 200: jsonAnswer("The applications.", ApplicationList) },
  }),
];

import { renderOpenapi } from "@postern/shared/platform/openapi";
import { apiOperationPage, apiPage } from "../../services/admin/src/console/api/api-page.ts";
import { documentCheck, operationsOf } from "../../services/admin/src/console/api/document-reader.ts";

const contract: unknown = JSON.parse(renderOpenapi({ audience: "management" }).json);
if (!documentCheck.accepts(contract)) throw new Error(documentCheck.explain(contract));

const operation = operationsOf(contract).find(({ operationId }) => operationId === "listDecisions");
if (operation === undefined) throw new Error("the sample of an operation is missing");

/** The operations of the console, and one of them. */
export const apiSample = apiPage(contract, "console");
export const apiOperationSample = apiOperationPage(contract, operation);

import { renderOpenapi } from "@postern/shared/platform/openapi";
import { expect, test } from "vitest";
import { createShowPage } from "../console-document.ts";
import { apiOperationPage, apiPage, curlText } from "./api-page.ts";
import { type ApiDocument, createNodeOf, documentCheck, operationsByTag, operationsOf } from "./document-reader.ts";
import { sampleOf, schemaRows, typeText } from "./schema-rows.ts";

const show = createShowPage("https://console.example.test", "Example Mail", "/style.css");
const contract: unknown = JSON.parse(renderOpenapi({ audience: "management" }).json);

function read(value: unknown): ApiDocument {
  if (!documentCheck.accepts(value)) throw new Error(documentCheck.explain(value));
  return value;
}

const management = read(contract);
const nodeOf = createNodeOf(management);
const operationNamed = (id: string) => {
  const found = operationsOf(management).find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(id);
  return found;
};

test("every operation of the document is listed and has a page of less than 120 kB, with all its parameters and answers", () => {
  const list = show(apiPage(management, "")).body;
  expect(list.length).toBeLessThan(120_000);
  for (const operation of operationsOf(management)) {
    const { operationId: id, path, parameters = [], responses } = operation;
    expect(list).toContain(`/console/api?operation=${id}"><code>${path}</code>`);
    const { body } = show(apiOperationPage(management, operation));
    expect([id, body.length < 120_000]).toEqual([id, true]);
    for (const { name } of parameters) expect(body).toContain(`<code>${name}</code>`);
    for (const status of Object.keys(responses)) expect(body).toContain(`<b>${status}</b>`);
  }
});

test("words select operations by path, name, summary and tag", () => {
  const found = (words: string) =>
    [...operationsByTag(management, words).values()].flat().map(({ operationId }) => operationId);
  expect(found("console HISTORY")).toContain("listDecisions");
  expect(found("delete suspend")).toEqual(["resumeAccount"]);
  expect(found("no such words")).toEqual([]);
  expect(show(apiPage(management, '"><b>')).body).toContain("&quot;&gt;&lt;b&gt;");
});

test("the request to copy has the method, credentials, path and a body of what is required", () => {
  expect(curlText(nodeOf, operationNamed("suspendAccount"))).toBe(
    [
      "curl -sS -X POST",
      `-u "$CALLER:$PASSWORD"`,
      "-H 'content-type: application/json'",
      `-d '{"username":"text"}'`,
      `"$URL/api/v1/suspensions"`,
    ].join(" \\\n  "),
  );
  expect(curlText(nodeOf, operationNamed("explain"))).toContain(`"$URL/api/v1/console/explain?query=QUERY"`);
  expect(curlText(nodeOf, operationNamed("readJob"))).toContain(`"$URL/api/v1/async/jobs/JOBID"`);
});

test("members are listed with their paths, and a schema that contains itself ends", () => {
  const own = read({
    info: { title: "t", version: "1" },
    paths: {},
    components: {
      schemas: {
        Folder: {
          type: "object",
          required: ["name"],
          properties: {
            name: { type: "string", maxLength: 5, description: "Name." },
            folders: { type: "array", items: { $ref: "#/components/schemas/Folder" } },
            kind: { enum: ["a", "b"] },
          },
        },
      },
    },
  });
  const folderOf = createNodeOf(own);
  const reference = { $ref: "#/components/schemas/Folder" };
  const rows = schemaRows(folderOf, { type: "array", items: reference });
  expect(rows.slice(0, 3)).toEqual([
    { name: "[].name", type: "string", isRequired: true, text: "Name. (at most 5 characters)" },
    { name: "[].folders", type: "list of Folder", isRequired: false, text: "" },
    { name: "[].folders[].name", type: "string", isRequired: true, text: "Name. (at most 5 characters)" },
  ]);
  expect(rows.length).toBeLessThan(20);
  expect(typeText(folderOf, { anyOf: [{ enum: ["a"] }, { type: "null" }] })).toBe('"a" or null');
  expect(sampleOf(folderOf, reference)).toEqual({ name: "text" });
});

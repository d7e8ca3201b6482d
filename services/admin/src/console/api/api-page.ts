import { pathTo } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { type Html, html } from "@postern/shared/platform/pages";
import { t } from "../../texts/texts.ts";
import type { ConsolePage } from "../console-document.ts";
import { type ConsoleVisit, type PageAnswer, queryOf } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { table } from "../house/table.ts";
import { breakable } from "../shown-values.ts";
import {
  type ApiDocument,
  type ApiOperation,
  type ApiParameter,
  createNodeOf,
  documentCheck,
  type NodeOf,
  operationsByTag,
  operationsOf,
} from "./document-reader.ts";
import { limitText, type SchemaRow, sampleOf, schemaRows, typeText } from "./schema-rows.ts";

const home = pathTo("consoleApi");

const methodMark = (method: string): Html => html`<span class="method ${method.toLowerCase()}">${method}</span>`;

function filter(words: string): Html {
  return html`<form method="get" action="${home}" class="search"><div class="field"><label for="words">${t("api.words")}</label><input type="text" id="words" name="words" value="${words}" maxlength="100" autocomplete="off" spellcheck="false"></div><button type="submit" class="quiet">${t("house.filter")}</button></form>${
    words !== "" && html`<p><a href="${home}">${t("api.all")}</a></p>`
  }`;
}

function group(tag: string, operations: readonly ApiOperation[]): Html {
  return html`<h2>${tag}</h2>${table({
    label: html`${tag}`,
    rows: operations,
    columns: [
      { name: t("audit.method"), cell: ({ method }) => methodMark(method) },
      {
        name: t("api.path"),
        cell: ({ path, operationId: id }) => html`<a href="${home}?operation=${id}"><code>${path}</code></a>`,
      },
      { name: t("api.summary"), cell: ({ summary }) => summary },
    ],
  })}`;
}

/** All operations, or those with the words. */
export function apiPage(document: ApiDocument, words: string): ConsolePage {
  const groups = [...operationsByTag(document, words)];
  const count = groups.reduce((sum, [, { length }]) => sum + length, 0);
  return {
    title: t("page.api"),
    id: "api",
    body: html`<h1>${t("page.api")}</h1><p class="lead">${t("api.about", { title: document.info.title, version: document.info.version, operations: t("api.count", { count }) })} <a href="${pathTo(
      "consoleApiDocument",
    )}">${t("api.document")}</a></p>${filter(words)}${groups.map(([tag, operations]) => group(tag, operations))}`,
  };
}

/** Texts of the document have code between backticks. */
const prose = (text: string): Html =>
  html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${breakable(part)}`))}`;

/** Names of types stay whole, however narrow their column is. */
const typeCell = (type: string): Html => html`<span class="word">${type}</span>`;

function parametersPart(nodeOf: NodeOf, parameters: readonly ApiParameter[]): Html | undefined {
  if (parameters.length === 0) return undefined;
  return html`<h2>${t("api.parameters")}</h2>${table({
    label: t("api.parameters"),
    rows: parameters,
    columns: [
      { name: t("col.name"), cell: ({ name, required }) => named(name, required === true) },
      { name: t("api.in"), cell: ({ in: place }) => place },
      { name: t("col.type"), cell: ({ schema }) => typeCell(typeText(nodeOf, schema)) },
      {
        name: t("api.description"),
        cell: ({ description, schema }) =>
          prose(limitText({ ...nodeOf(schema), ...(description !== undefined && { description }) })),
      },
    ],
  })}`;
}

const named = (name: string, isRequired: boolean): Html =>
  html`<code>${name}</code>${isRequired && html` <b>${t("api.required")}</b>`}`;

function membersTable(label: Html, rows: readonly SchemaRow[]): Html | undefined {
  if (rows.length === 0) return undefined;
  return table({
    label,
    rows,
    columns: [
      { name: t("api.member"), cell: ({ name, isRequired }) => named(name, isRequired) },
      { name: t("col.type"), cell: ({ type }) => typeCell(type) },
      { name: t("api.description"), cell: ({ text }) => prose(text) },
    ],
  });
}

type Content = NonNullable<ApiOperation["requestBody"]>["content"];

function contentPart(nodeOf: NodeOf, label: Html, content: Content = {}): Html {
  return html`${Object.entries(content).map(
    ([type, { schema }]) =>
      html`<p><code>${type}</code>: ${typeText(nodeOf, schema)}</p>${membersTable(html`${label}, ${type}`, schemaRows(nodeOf, schema))}`,
  )}`;
}

function answersPart(nodeOf: NodeOf, { responses }: ApiOperation): Html {
  return html`<h2>${t("api.answers")}</h2>${Object.entries(responses).map(([status, { description, content }]) => {
    const title = html`<b>${status}</b> ${prose(description ?? "")}`;
    return content === undefined
      ? html`<div class="answer">${title}</div>`
      : html`<details class="answer"${status.startsWith("2") && html` open`}><summary>${title}</summary>${contentPart(nodeOf, t("api.answer", { status }), content)}</details>`;
  })}`;
}

/** In single quotes, as shells take a text. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function bodyOptions(nodeOf: NodeOf, { requestBody }: ApiOperation): readonly string[] {
  const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
  if (type === undefined || media === undefined) return [];
  const isJson = /[/+]json$/u.test(type);
  const data = isJson ? `-d ${quoted(JSON.stringify(sampleOf(nodeOf, media.schema)))}` : "--data-binary @FILE";
  return [`-H ${quoted(`content-type: ${type}`)}`, data];
}

/** A request with the required parameters and a sample body. */
export function curlText(nodeOf: NodeOf, operation: ApiOperation): string {
  const { method, path, parameters = [], security = [] } = operation;
  const required = (place: string): readonly string[] =>
    parameters.filter((one) => one.required === true && one.in === place).map(({ name }) => name);
  const query = required("query").map((name) => `${name}=${name.toUpperCase()}`);
  const place = path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => name.toUpperCase());
  return [
    `curl -sS${method === "GET" ? "" : ` -X ${method}`}`,
    ...(security.length === 0 ? [] : [`-u "$CALLER:$PASSWORD"`]),
    ...required("header").map((name) => `-H ${quoted(`${name}: VALUE`)}`),
    ...bodyOptions(nodeOf, operation),
    `"$URL${place}${query.length === 0 ? "" : `?${query.join("&")}`}"`,
  ].join(" \\\n  ");
}

function securityPart({ components }: ApiDocument, { security = [] }: ApiOperation): Html {
  const schemes = security.flatMap((one) => Object.entries(one));
  if (schemes.length === 0) return html`<p>${t("api.no_credentials")}</p>`;
  return html`<ul>${schemes.map(([name, scopes]) => {
    const description = components?.securitySchemes?.[name]?.description ?? name;
    return html`<li>${prose(description)}${scopes.length > 0 && html` ${t("clients.scopes")}: <code>${scopes.join(" ")}</code>`}</li>`;
  })}</ul>`;
}

/** One operation: what it takes, what it answers, and a request to copy. */
export function apiOperationPage(document: ApiDocument, operation: ApiOperation): ConsolePage {
  const nodeOf = createNodeOf(document);
  const {
    method,
    path,
    summary,
    description,
    operationId: id,
    parameters = [],
    requestBody,
    tags: [tag] = [],
  } = operation;
  return {
    title: t("page.api"),
    id: "api",
    body: html`<p class="eyebrow"><a href="${home}">${t("page.api")}</a>${tag !== undefined && html`, ${tag}`}</p><h1>${summary ?? id}</h1><p class="request">${methodMark(method)} <code>${path}</code></p>${
      description !== undefined && html`<p>${prose(description)}</p>`
    }<p class="hint">${t("api.operation", { id: html`<code>${id}</code>` })}</p><h2>${t("api.credentials")}</h2>${securityPart(document, operation)}${parametersPart(nodeOf, parameters)}${
      requestBody !== undefined &&
      html`<h2>${requestBody.required === false ? t("api.body_optional") : t("api.body")}</h2>${contentPart(nodeOf, t("api.body"), requestBody.content)}`
    }${answersPart(nodeOf, operation)}<h2>${t("api.curl")}</h2><p class="hint">${t("api.curl_about")}</p><pre class="copied" tabindex="0" role="region" aria-label="${t("api.curl")}"><code>${curlText(nodeOf, operation)}</code></pre>`,
  };
}

const longestFilter = 100;

/** `GET /console/api`: the OpenAPI document of the management interface, to read; with `operation`, one of its operations. */
export async function getApiPage({ ask }: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const { request, operator } = visit;
  const { status, body } = await ask(operator, { operation: "managementContractJson" });
  if (status !== 200 || !documentCheck.accepts(body))
    throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `managementContractJson returned ${status}` });
  const id = queryOf(request, "operation");
  if (id === undefined) return apiPage(body, queryOf(request, "words")?.trim().slice(0, longestFilter) ?? "");
  const found = operationsOf(body).find(({ operationId }) => operationId === id);
  return found === undefined ? "not_found" : apiOperationPage(body, found);
}

/** `GET /console/api/document`: for programs of the operator, because a browser's cookie opens no path of the management interface. */
export async function getApiDocument({ ask }: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const { status, body } = await ask(visit.operator, { operation: "managementContractJson" });
  if (status !== 200) return "unavailable";
  return visit.reply.headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" }).send(body);
}

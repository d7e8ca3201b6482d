import { type Operation, operations } from "@postern/shared/contracts";
import { findHandlers, routeFiles } from "./handlers/find-handlers.ts";
import { generate } from "./write-or-check.ts";

const handlers = findHandlers(routeFiles(`${import.meta.dirname}/..`));
const inLanguage = new Set(operations.flatMap((each) => each.inLanguage?.operationId ?? []));
const owners = ["gateway", "admin", "idp"] as const;

function row({ operationId, method, path }: Operation, source: string): string {
  const file = (handlers.get(operationId) ?? "").replace(source, "");
  return `| \`${method.toUpperCase()} ${path}\` | \`${operationId}\` | [${file}](../../${source}${file}) |`;
}

function section(owner: (typeof owners)[number]): string {
  const own = operations.filter((each) => each.family.owner === owner && !inLanguage.has(each.operationId));
  return `## ${owner}

The files are in \`services/${owner}/src\`.

| Method and path | Operation | Handler |
|---|---|---|
${own.map((each) => row(each, `services/${owner}/src/`)).join("\n")}
`;
}

const page = `<!-- Made from the operation table and the services' routes by tools/generate-handlers.ts; do not edit. -->

# Handlers of the operations

The file that answers each operation, for developers who look for the code behind a path. Pages that also exist with a language tag are
listed once. Paths of admin and idp reach the service through the gateway, as [ARCHITECTURE.md](../../ARCHITECTURE.md) describes.

${owners.map(section).join("\n")}`;

generate(new Map([["docs/api/handlers.md", page]]));

import type { Drive } from "../drive.ts";

const read = (operationId: string, authorization?: null): Drive => ({
  operationId,
  status: 200,
  parts: () => (authorization === undefined ? {} : { authorization }),
});

const refused = (operationId: string): Drive => ({
  operationId,
  status: 401,
  parts: () => ({ authorization: "Basic YTpi" }),
});

/** Pages that are only read. */
export const pageDrives: readonly Drive[] = [
  read("loadConfiguration"),
  refused("loadConfiguration"),
  read("managementContractYaml"),
  read("managementContractJson"),
  refused("managementContractJson"),
  read("idpContractYaml", null),
  read("idpContractJson", null),
  read("ping", null),
  read("health", null),
  read("metrics", null),
  read("statusPage", null),
  {
    operationId: "statusPageInLanguage",
    status: 200,
    parts: () => ({ path: { languageTag: "de" }, authorization: null }),
  },
  {
    operationId: "statusPageInLanguage",
    status: 404,
    parts: () => ({ path: { languageTag: "x" }, authorization: null }),
  },
  read("publicStatus", null),
];

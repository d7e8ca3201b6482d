import type { Drive } from "../drive.ts";

const drive = (operationId: string, status: number, path: Readonly<Record<string, string>> = {}): Drive => ({
  operationId,
  status,
  parts: () => ({ path }),
});

export const devUiDrives: readonly Drive[] = [
  drive("developerUi", 200),
  drive("developerUiVersion", 200),
  drive("renderTemplate", 200, { template: "idp_login.html" }),
  drive("renderTemplate", 404, { template: "nothing" }),
  drive("renderTemplateInLanguage", 200, { template: "idp_login.html", languageTag: "de" }),
  drive("renderTemplateInLanguage", 404, { template: "idp_login.html", languageTag: "x" }),
];

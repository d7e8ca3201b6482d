import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { scratchFolder } from "@postern/testing";

const schemas = "/usr/share/xml/opensaml/saml-schema-metadata-2.0.xsd";

function catalogueRow(uri: string, at: string): string {
  const file = `file:///usr/share/xml/${at}`;
  return `<system systemId="${uri}" uri="${file}"/><uri name="${uri}" uri="${file}"/>`;
}

/** Validates metadata against the SAML schemas. @returns the output of xmllint */
export async function validateMetadata(metadata: string): Promise<string> {
  await using folder = await scratchFolder();
  const file = join(folder.path, "metadata.xml");
  await writeFile(file, metadata);
  const catalogue = join(folder.path, "catalog.xml");
  const rows = [
    catalogueRow(
      "http://www.w3.org/TR/2002/REC-xmldsig-core-20020212/xmldsig-core-schema.xsd",
      "xmltooling/xmldsig-core-schema.xsd",
    ),
    catalogueRow("http://www.w3.org/TR/2002/REC-xmlenc-core-20021210/xenc-schema.xsd", "xmltooling/xenc-schema.xsd"),
    catalogueRow("http://www.w3.org/2001/xml.xsd", "xmltooling/xml.xsd"),
  ];
  await writeFile(catalogue, `<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">${rows.join("")}</catalog>`);
  const env = { ...process.env, XML_CATALOG_FILES: catalogue };
  const checked = await promisify(execFile)("xmllint", ["--nonet", "--noout", "--schema", schemas, file], { env });
  return checked.stderr;
}

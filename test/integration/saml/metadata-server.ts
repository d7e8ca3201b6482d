import { createPrivateKey } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { freePort } from "@postern/testing";
import {
  aggregateOf,
  type EntityOptions,
  entityOf,
  signedMetadata,
} from "../../../services/idp/src/saml/testing/forge-metadata.ts";
import type { KeyPair } from "./key-pair.ts";

export const entityId = "urn:test:federated";

/** The metadata server of a federation. */
export interface MetadataServer extends AsyncDisposable {
  readonly url: string;
  /** Paths of the requests so far. */
  readonly requestedPaths: string[];
  answer(listener: RequestListener): void;
  /** Serves this document from now on. */
  publish(document: string): void;
  /** Stops listening. */
  close(): Promise<void>;
}

export interface Published extends EntityOptions {
  readonly sp: KeyPair;
  readonly publisher: KeyPair;
  /** URIs of the encryption algorithms that it supports. */
  readonly encryption?: readonly string[];
}

function descriptorOf({ cert }: KeyPair, encryption: readonly string[]): string {
  const certificate = cert.replaceAll(/-----[^-]+-----/g, "");
  const ds = 'xmlns:ds="http://www.w3.org/2000/09/xmldsig#"';
  const methods = encryption.map((uri) => `<md:EncryptionMethod Algorithm="${uri}"/>`).join("");
  return `<md:KeyDescriptor><ds:KeyInfo ${ds}><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>${methods}</md:KeyDescriptor>`;
}

/** A federation's signed metadata with our service provider and another one. */
export function documentOf({ sp, publisher, encryption = [], ...options }: Published): string {
  const ours = entityOf({
    entityId,
    certificates: descriptorOf(sp, encryption),
    roleAttributes: ' AuthnRequestsSigned="true"',
    ...options,
  });
  const other = entityOf({ entityId: "urn:test:other" });
  return signedMetadata(aggregateOf([other, ours]), createPrivateKey(publisher.key));
}

const unavailable: RequestListener = (_request, response) => void response.writeHead(503).end();

export async function startMetadataServer(): Promise<MetadataServer> {
  const port = await freePort();
  const requestedPaths: string[] = [];
  let listener = unavailable;
  const server = createServer((request, response) => {
    requestedPaths.push(request.url ?? "");
    listener(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${port}/metadata`,
    requestedPaths,
    answer: (next) => {
      listener = next;
    },
    publish: (document) => {
      listener = (_request, response) => {
        response.writeHead(200, { "content-type": "application/samlmetadata+xml" }).end(document);
      };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

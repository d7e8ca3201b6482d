import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { freePort } from "@postern/testing";

/** A service provider that receives logout requests by SOAP. */
export interface SoapProvider extends AsyncDisposable {
  readonly url: string;
  /** Bodies of the requests so far. */
  readonly requests: string[];
  /** Answers the next requests with 500, this many times. */
  refuse(times: number): void;
  /** While true, requests are read but get no response. */
  hangs: boolean;
  /** `sha1`: responses are signed with the algorithm that Shibboleth uses if the metadata names none. */
  signature: "none" | "sha1";
}

const sha1Signature =
  `<d:Signature xmlns:d="http://www.w3.org/2000/09/xmldsig#"><d:SignedInfo><d:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>` +
  `<d:SignatureMethod Algorithm="http://www.w3.org/2000/09/xmldsig#rsa-sha1"/><d:Reference URI="#_r"><d:Transforms><d:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/>` +
  `<d:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></d:Transforms><d:DigestMethod Algorithm="http://www.w3.org/2000/09/xmldsig#sha1"/><d:DigestValue>AAAA</d:DigestValue></d:Reference>` +
  `</d:SignedInfo><d:SignatureValue>AAAA</d:SignatureValue></d:Signature>`;

function answerTo(body: string, signature: SoapProvider["signature"]): string {
  const id = / ID="([^"]+)"/.exec(body)?.[1] ?? "";
  const now = new Date().toISOString();
  const issuer = `<a:Issuer xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion">urn:test:plain</a:Issuer>`;
  const status = `<p:Status><p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></p:Status>`;
  const response = `<p:LogoutResponse ID="_r" Version="2.0" IssueInstant="${now}" InResponseTo="${id}">${issuer}${signature === "sha1" ? sha1Signature : ""}${status}</p:LogoutResponse>`;
  return `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/" xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol"><S:Body>${response}</S:Body></S:Envelope>`;
}

export async function startSoapProvider(): Promise<SoapProvider> {
  const port = await freePort();
  const requests: string[] = [];
  let refusals = 0;
  const mode: Pick<SoapProvider, "hangs" | "signature"> = { hangs: false, signature: "none" };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push(body);
      if (mode.hangs) return;
      refusals -= 1;
      if (refusals >= 0) response.writeHead(500).end();
      else response.writeHead(200, { "content-type": "text/xml" }).end(answerTo(body, mode.signature));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  return Object.assign(mode, {
    url: `http://127.0.0.1:${port}/slo`,
    requests,
    refuse: (times: number) => {
      refusals = times;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
}
